package stages

import (
	"context"
	"math"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// attribution scores every word of its splits once; masks of any policy and lambda_eps follow from
// the file without a network.
func attribution(ctx context.Context, job *stage.Job, s AttributionSettings) error {
	splits := lists.Where(corpus.Splits[:], func(split corpus.Split) bool {
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
	var rows []masking.Row
	for _, split := range splits {
		scores, err := e.scores(ctx, t.labelled(split), progress(job, split.String()))
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
	if err := masking.Write(filepath.Join(job.Dir, "scores.parquet"), slices.Values(rows)); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", result)
}

// explainer is a trained Diversity-LSTM and a way to score words with it.
type explainer struct {
	model *divlstm.Model
	how   masking.Attribution
	loss  divlstm.Loss
}

func loadExplainer(dir string, s AttributionSettings) (*explainer, error) {
	var trained struct {
		Settings DivLSTMSettings `json:"settings"`
	}
	if err := readJSON(dir, "stage.json", &trained); err != nil {
		return nil, err
	}
	m, err := loadDivLSTM(dir)
	if err != nil {
		return nil, err
	}
	if s.Sampling {
		torch.Seed(s.Seed)
	}
	how := masking.Attribution{Method: s.Method, Scoring: s.Scoring}
	return &explainer{m, how, divLSTMLoss(trained.Settings.DivLSTMSettings)}, nil
}

func (e *explainer) scores(
	ctx context.Context,
	d nn.Labelled,
	progress func(done, total int, note string),
) (masking.Scores, error) {
	return e.how.Scores(ctx, e.model, d, e.loss, progress)
}

// scoreRows names each sentence's scores by its place in the data set.
func scoreRows(t *text, split corpus.Split, scores masking.Scores) []masking.Row {
	rows := make([]masking.Row, len(scores.Words))
	first := len(t.Text[split][0])
	for i, words := range scores.Words {
		rows[i] = masking.Row{Split: split.String(), Line: i, Scores: words}
		if i >= first {
			rows[i].Style, rows[i].Line = 1, i-first
		}
		if scores.Gap != nil {
			rows[i].Gap, rows[i].Change = &scores.Gap[i], &scores.Change[i]
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
