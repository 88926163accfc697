package stages

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// trainLM fits the language model whose perplexity judges outputs, on human text alone: the
// training text of both styles.
func trainLM(ctx context.Context, job *stage.Job, s LMSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train, dev := t.labelled(corpus.Train).IDs, t.labelled(corpus.Dev).IDs
	c := lm.Config{Known: lm.KnownWords(train, s.MinCount, s.UnkShare), LMShape: s.LMShape, Dropout: s.Dropout}
	r := training(job, s.Training, s.Seed, precision.LM(s.BatchTokens, c.Classes(), s.LMShape))
	r.MaxSteps = s.MaxSteps
	m := lm.New(c)
	defer m.Params.Free()
	h, err := m.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train)})
}

// languageModel is a trained one, and the line that says which.
type languageModel struct {
	*lm.Model
	signature string
}

func loadLM(dir string) (*languageModel, error) {
	m, err := loadModel(dir, lm.New, func(m *lm.Model) *nn.Params { return m.Params })
	if err != nil {
		return nil, err
	}
	var trained TrainResult
	if err := readJSON(dir, "result.json", &trained); err != nil {
		m.Params.Free()
		return nil, err
	}
	return &languageModel{m, m.Signature(math.Exp(trained.DevLoss))}, nil
}

// fluency scores the outputs of one direction.
func (m *languageModel) fluency(ctx context.Context, ids [][]int64) (*metrics.Fluency, error) {
	s, err := m.Score(ctx, ids)
	return &metrics.Fluency{LogProb: s.LogProb, Tokens: s.Tokens, Unknown: s.Unknown, Signature: m.signature}, err
}

// ngramFluency scores the outputs of one direction by n-grams, for a selection.
func ngramFluency(m *ngram.Model, ids [][]int64) *metrics.Fluency {
	f := &metrics.Fluency{Signature: fmt.Sprintf("kneser-ney|n:%d|trained:human-train|end:counted|agg:corpus|version:1",
		m.Order())}
	for _, row := range ids {
		unknown := 0
		for _, id := range row {
			if id == corpus.UnkID {
				unknown++
			}
		}
		f.LogProb, f.Tokens = append(f.LogProb, m.LogProb(row)), append(f.Tokens, len(row)+1)
		f.Unknown = append(f.Unknown, unknown)
	}
	return f
}

// trainFluency counts the n-grams of the training text, both styles together: how fluent a fill is
// among its neighbours is asked of them, never of the language model above, which judges.
func trainFluency(_ context.Context, job *stage.Job, s FluencySettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	if s.Order > ngram.MaxOrder {
		return userr.New(
			userr.BadInput, "fluency.order is %d: n-grams have at most %d words", s.Order, ngram.MaxOrder,
		)
	}
	train := t.labelled(corpus.Train).IDs
	m := ngram.Train(train, s.Order, t.vocab.Len())
	if err := m.Save(filepath.Join(job.Dir, "model.safetensors")); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", FluencyResult{
		NGrams: m.NGrams(), TrainTokens: tokens(train), DevPerplexity: m.Perplexity(t.labelled(corpus.Dev).IDs),
	})
}

func loadFluency(dir string) (*ngram.Model, error) {
	return ngram.Load(filepath.Join(dir, "model.safetensors"))
}
