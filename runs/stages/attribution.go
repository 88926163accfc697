package stages

import (
	"context"
	"math"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Attribution is the stage that scores the words of every sentence with one masking method.
const Attribution stage.Name = "attribution"

var attributionStage = stage.Definition{
	Name: Attribution, Version: 2, Scope: stage.OfMethod | stage.OfSplit,
	Inputs: "prepare or test, vocab, divlstm",
	Settings: func(p stage.Point) any {
		return AttributionSettings{Method: p.Method.Scored(), Splits: scoredSplits(p)}
	},
	Reads: func(p stage.Point) stage.Inputs {
		in := trainText(p)
		if p.OfTest() {
			in = testText(p)
		}
		in["divlstm"] = at(DivLSTM, p)
		return in
	},
	Files: "`scores.jsonl`: per sentence `split`, `style`, `line` (from 0), `scores` (a float per word; -1: never " +
		"masked), and for integrated gradients `change` (F(x) - F(0)) and `gap` (distance of the summed " +
		"attributions from it); " +
		"`result.json`: their `completeness` per split: mean absolute `gap` and `change`, `worst`",
	Run: onTorch(of(attribution)),
}

// AttributionSettings says which sentences are scored, and with which method.
type AttributionSettings struct {
	Method policy.Method `json:"method"`
	// Splits are the scored splits: train and dev; only dev if nothing is trained on the method's
	// masks; or only test.
	Splits []string `json:"splits"`
}

// scoredSplits lists the splits whose words are scored. If p is about test sentences, that is only
// test. Otherwise it is dev, and also train if a model is trained on masks from these scores.
func scoredSplits(p stage.Point) []string {
	if p.OfTest() {
		return []string{p.Split}
	}
	for _, on := range p.Settings.Masking.TrainOn {
		if on.Scored() == p.Method.Scored() {
			return []string{corpus.Train.String(), corpus.Dev.String()}
		}
	}
	return []string{corpus.Dev.String()}
}

// AttributionResult is result.json: how far integrated gradients are from completeness, |sum of
// attributions - (F(x) - F(0))|, as a mean over the sentences of each split. The result of other
// methods is empty.
type AttributionResult struct {
	Completeness map[string]Completeness `json:"completeness,omitempty"` // by split
}

// Completeness describes one split.
type Completeness struct {
	Gap    float64 `json:"gap"`    // mean |sum of attributions - change|
	Change float64 `json:"change"` // mean |F(x) - F(0)|
	Worst  float64 `json:"worst"`  // largest gap of a sentence
}

// attribution scores every word of the splits once. Masks can then be made from the scores without
// a network, for any policy and lambda_eps.
func attribution(ctx context.Context, job *stage.Job, s AttributionSettings) error {
	splits := lists.Filter(corpus.Splits[:], func(split corpus.Split) bool {
		return slices.Contains(s.Splits, split.String())
	})
	t, err := loadText(job, splits...)
	if err != nil {
		return err
	}
	e, err := loadExplainer(job.Inputs["divlstm"], s)
	if err != nil {
		return err
	}
	defer e.model.Params.Free()
	result := AttributionResult{}
	var rows []masking.ScoreRow
	for _, split := range splits {
		scores, err := e.scores(ctx, t.encoded(split), progress(job, split.String()))
		if err != nil {
			return err
		}
		rows = append(rows, scoreRows(t, split, scores)...)
		if scores.Gap != nil {
			if result.Completeness == nil {
				result.Completeness = map[string]Completeness{}
			}
			result.Completeness[split.String()] = completeness(scores)
		}
	}
	if err := masking.WriteScores(filepath.Join(job.Dir, "scores.jsonl"), slices.Values(rows)); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", result)
}

// explainer scores words with a trained Diversity-LSTM.
type explainer struct {
	model  *divlstm.Model
	method policy.Method
}

func loadExplainer(dir string, s AttributionSettings) (*explainer, error) {
	m, err := loadDivLSTM(dir)
	if err != nil {
		return nil, err
	}
	return &explainer{m, s.Method}, nil
}

// scores returns the scores of the words of sentences. Words that must never be masked get the
// score policy.Never, in training and in a user's own sentences, so no policy masks them.
func (e *explainer) scores(
	ctx context.Context,
	d corpus.Encoded,
	progress func(done, total int, note string),
) (masking.Scores, error) {
	s, err := masking.Score(ctx, e.method, e.model, d, progress)
	if err == nil {
		keepWords(s.Words, d)
	}
	return s, err
}

// keepWords sets the score of each word that must never be masked to policy.Never.
func keepWords(scores [][]float32, d corpus.Encoded) {
	for i, words := range scores {
		for k := range words {
			if d.Keeps(i, k) {
				words[k] = policy.Never
			}
		}
	}
}

// scoreRows returns each sentence's scores with its position in the data set.
func scoreRows(t *text, split corpus.Split, scores masking.Scores) []masking.ScoreRow {
	var rows []masking.ScoreRow
	for style, sentences := range byStyle(t, split, scores.Words) {
		for line, words := range sentences {
			row := masking.ScoreRow{Split: split.String(), Style: style, Line: line, Scores: words}
			if i := len(rows); scores.Gap != nil {
				row.Gap, row.Change = &scores.Gap[i], &scores.Change[i]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func completeness(s masking.Scores) (c Completeness) {
	for i, gap := range s.Gap {
		c.Gap += gap
		c.Change += math.Abs(s.Change[i])
		c.Worst = max(c.Worst, gap)
	}
	n := max(float64(len(s.Gap)), 1)
	c.Gap, c.Change = c.Gap/n, c.Change/n
	return c
}
