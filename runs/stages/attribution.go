package stages

import (
	"context"
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
		"masked)",
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
	var rows []masking.ScoreRow
	for _, split := range splits {
		scores, err := e.scores(ctx, t.encoded(split), progress(job, split.String()))
		if err != nil {
			return err
		}
		rows = append(rows, scoreRows(t, split, scores)...)
	}
	return masking.WriteScores(filepath.Join(job.Dir, "scores.jsonl"), slices.Values(rows))
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
) ([][]float32, error) {
	scores, err := masking.Score(ctx, e.method, e.model, d, progress)
	if err == nil {
		keepWords(scores, d)
	}
	return scores, err
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
func scoreRows(t *text, split corpus.Split, scores [][]float32) []masking.ScoreRow {
	var rows []masking.ScoreRow
	for style, sentences := range byStyle(t, split, scores) {
		for line, words := range sentences {
			rows = append(rows, masking.ScoreRow{Split: split.String(), Style: style, Line: line, Scores: words})
		}
	}
	return rows
}
