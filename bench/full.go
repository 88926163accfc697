package main

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
)

// resamples of an interval, as many as sacrebleu's default.
const resamples = 1000

// full is a scoring with everything that asks for more than counting, but TST%.
type full struct {
	text  publishedSystem
	vocab *corpus.Vocab
	lm    *lm.Model
	with  metrics.Instruments
}

// newFull makes what is kept from system to system: naturalness, METEOR where the case has a
// WordNet, and the case's language model.
func newFull(c benchCase, text publishedSystem) (*full, error) {
	f := &full{text: text, vocab: text.Vocab()}
	natural, err := naturalness.Train(text.Sources, c.Seed)
	if err != nil {
		return nil, err
	}
	f.with.Naturalness = []metrics.Naturalness{natural}
	if c.WordNet != "" {
		if f.with.METEOR, err = meteor.New(c.WordNet); err != nil {
			return nil, err
		}
	}
	return f, torch.Run(func() error {
		f.lm = lmSteps(c)
		return f.lm.Params.Load(c.Weights[0])
	})
}

// score returns the perplexity of the report.
func (f *full) score() (float64, error) {
	dirs := halves(f.text)
	for i := range dirs {
		err := torch.Run(func() error {
			s, err := f.lm.Score(context.Background(), f.vocab.EncodeAll(dirs[i].Output))
			dirs[i].Fluency = &metrics.Fluency{
				LogProb: s.LogProb, Tokens: s.Tokens, Unknown: s.Unknown, Signature: "bench",
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	r, err := metrics.Score(dirs, f.with)
	if err != nil {
		return 0, err
	}
	return metrics.Intervals(r.Sentences, resamples, 1)["perplexity"].Value, nil
}
