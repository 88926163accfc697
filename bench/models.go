// Package models has our models behind their public API, as the benchmark drives them: each with
// the sentences it works on.
package main

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// benchModel is one of them.
type benchModel struct {
	Params   []*nn.Params // in the order of Case.Weights
	Train    func(ctx context.Context, r nn.Recipe) (*nn.History, error)
	Evaluate func(ctx context.Context) (nn.Validation, error) // over all sentences
	Transfer func(ctx context.Context) ([][]int64, error)
	Prepare  func(ctx context.Context) error // what is wanted without Case.Weights; nil: drawn weights will do
}

// newModel makes a model; call it on the torch thread.
func newModel(c benchCase, s styledSentences) benchModel {
	enc := c.SMLM
	enc.Vocab = c.Vocab
	data, dev := s.Encoded, s.few()
	o, dec := smlm.Objective{}, smlm.Decoding{MaxExtra: c.MaxExtra, BF16: c.BF16}
	if c.MaskedOnly {
		o.Loss = recipe.Masked
	}
	if c.Copy {
		dec.Decoding = recipe.Copied
	}
	switch c.Model {
	case "guided":
		return newGuided(c, s)
	case "lm":
		return benchModel{Params: []*nn.Params{lmSteps(c).Params}}
	case "divlstm":
		of := c.DivLSTM
		of.Vocab = c.Vocab
		m := divlstm.New(of)
		loss := divlstm.Loss{LambdaCon: c.LambdaCon}
		return benchModel{
			Params: []*nn.Params{m.Params},
			Train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
				return m.Train(ctx, data, dev, loss, r)
			},
			Evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Validate(ctx, data, loss) },
		}
	case "classifier":
		of := c.Classifier
		of.Vocab = c.Vocab
		m := classifier.New(of)
		return benchModel{
			Params: []*nn.Params{m.Params},
			Train: func(
				ctx context.Context, r nn.Recipe,
			) (*nn.History, error) {
				return m.Train(ctx, data, dev, r)
			},
			Evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data) },
		}
	case "smlm-g":
		g := smlm.NewGenerator(enc)
		return benchModel{
			Params:   []*nn.Params{g.Params},
			Train:    func(ctx context.Context, r nn.Recipe) (*nn.History, error) { return g.Train(ctx, data, dev, r) },
			Evaluate: func(ctx context.Context) (nn.Validation, error) { return g.Evaluate(ctx, data) },
			Transfer: func(ctx context.Context) ([][]int64, error) { return g.Transfer(ctx, data, dec) },
		}
	}
	m := smlm.New(enc)
	made := benchModel{
		Params: []*nn.Params{m.Params},
		Train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Train(ctx, data, dev, o, smlm.VariedMasks{}, r)
		},
		Evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data, o) },
		Transfer: func(ctx context.Context) ([][]int64, error) { return m.Transfer(ctx, data, dec) },
	}
	if c.Model == "smlm-ft" {
		head := smlm.NewHead(enc.Dim, 1)
		loss := smlm.FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: c.Style, LambdaRec: c.Reconstruct}, Objective: o}
		made.Params = append(made.Params, head.Params)
		made.Train = func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Finetune(ctx, head, data, dev, loss, r)
		}
	}
	return made
}
