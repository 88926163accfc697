package main

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// benchModel is one of the models: its parameters, and functions that apply it to the sentences of
// a case.
type benchModel struct {
	params   []*nn.Params // in the order of benchCase.Weights
	train    func(ctx context.Context, r nn.Recipe) (*nn.History, error)
	evaluate func(ctx context.Context) (nn.Validation, error) // over all sentences
	transfer func(ctx context.Context) ([][]int64, error)
}

// newModel makes a model with new random weights. Training validates on only two sentences, so that
// the validation takes hardly any time. newModel must be called inside torch.Run.
func newModel(c benchCase, data corpus.Encoded) benchModel {
	dev := data.Pick([]int{0, 1}[:min(2, len(data.IDs))])
	switch c.Model {
	case "divlstm":
		of := c.DivLSTM
		of.Vocab = c.Vocab
		m := divlstm.New(of)
		loss := divlstm.Loss{LambdaCon: c.LambdaCon}
		return benchModel{
			params: []*nn.Params{m.Params},
			train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
				return m.Train(ctx, data, dev, loss, r)
			},
			evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Validate(ctx, data, loss) },
		}
	case "classifier":
		of := c.Classifier
		of.Vocab = c.Vocab
		m := classifier.NewBiLSTM(of)
		return benchModel{
			params:   []*nn.Params{m.Params},
			train:    func(ctx context.Context, r nn.Recipe) (*nn.History, error) { return m.Train(ctx, data, dev, r) },
			evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data) },
		}
	case "lm":
		of := c.LM
		of.First, of.Known = corpus.NumSpecial, c.Vocab-corpus.NumSpecial
		m := lm.New(of)
		return benchModel{
			params: []*nn.Params{m.Params},
			train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
				return m.Train(ctx, data.IDs, dev.IDs, r)
			},
			evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data.IDs) },
		}
	}
	of, decoding := c.SMLM, smlm.Decoding{BF16: c.BF16}
	of.Vocab = c.Vocab
	if c.Copy {
		decoding.Decoding = recipe.Copied
	}
	if c.Model == "smlm-g" {
		g := smlm.NewGenerator(of)
		return benchModel{
			params:   []*nn.Params{g.Params},
			train:    func(ctx context.Context, r nn.Recipe) (*nn.History, error) { return g.Train(ctx, data, dev, r) },
			evaluate: func(ctx context.Context) (nn.Validation, error) { return g.Evaluate(ctx, data) },
			transfer: func(ctx context.Context) ([][]int64, error) { return g.Transfer(ctx, data, decoding) },
		}
	}
	m, objective := smlm.New(of), smlm.Objective{}
	made := benchModel{
		params: []*nn.Params{m.Params},
		train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Train(ctx, data, dev, objective, smlm.VariedMasks{}, r)
		},
		evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data, objective) },
		transfer: func(ctx context.Context) ([][]int64, error) { return m.Transfer(ctx, data, decoding) },
	}
	if c.Model == "smlm-ft" {
		head := smlm.NewHead(of.Dim, 2)
		loss := smlm.FinetuneLoss{
			Finetune: recipe.Finetune{LambdaSta: c.Style, LambdaRec: c.Reconstruct}, Objective: objective,
		}
		made.params = append(made.params, head.Params)
		made.train = func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Finetune(ctx, head, data, dev, loss, r)
		}
	}
	return made
}
