package main

import (
	"context"

	"github.com/smlm-exp/smlm-exp/bench/workload"
	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// model is one of our models behind its public API, with the sentences it works on.
type model struct {
	params   []*nn.Params // in the order of Case.Weights
	train    func(ctx context.Context, r nn.Recipe) (*nn.History, error)
	evaluate func(ctx context.Context) (nn.Validation, error) // over all sentences
	transfer func(ctx context.Context) ([][]int64, error)
}

// newModel makes a model; call it on the torch thread.
func newModel(c workload.Case, s workload.Sentences) model {
	enc := smlm.Config{
		Vocab: c.Vocab, Layers: c.Layers, Heads: c.Heads, Dim: c.Dim, FF: c.FF, Dropout: c.Dropout,
		ControlCodes: smlm.ControlCodes{SourceToken: true}, TrainEmbeddings: true, DecoderLayers: c.DecoderLayers,
	}
	data, dev := s.Data(), s.Few().Data()
	labelled, few := s.Labelled, dev.Labelled
	o, dec := smlm.Objective{}, smlm.Decoding{MaxExtra: c.MaxExtra, BF16: c.BF16}
	if c.MaskedOnly {
		o.Loss = recipe.Masked
	}
	if c.Copy {
		dec.Unmasked = recipe.Copied
	}
	switch c.Model {
	case "divlstm":
		m := divlstm.New(divlstm.Config{
			Vocab: c.Vocab, Embedding: c.Embedding, Hidden: c.Hidden, Attention: c.Attention,
			Bidirectional: true, Dropout: c.Dropout,
		})
		loss := divlstm.Loss{LambdaCon: c.LambdaCon}
		return model{
			params: []*nn.Params{m.Params},
			train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
				return m.Train(ctx, labelled, few, loss, r)
			},
			evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Validate(ctx, labelled, loss) },
		}
	case "classifier":
		m := classifier.New(
			classifier.Config{Vocab: c.Vocab, Embedding: c.Embedding, Hidden: c.Hidden, Dropout: c.Dropout},
		)
		return model{
			params: []*nn.Params{m.Params},
			train: func(
				ctx context.Context, r nn.Recipe,
			) (*nn.History, error) {
				return m.Train(ctx, labelled, few, r)
			},
			evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, labelled) },
		}
	case "smlm-g":
		g := smlm.NewGenerator(enc)
		return model{
			params:   []*nn.Params{g.Params},
			train:    func(ctx context.Context, r nn.Recipe) (*nn.History, error) { return g.Train(ctx, data, dev, r) },
			evaluate: func(ctx context.Context) (nn.Validation, error) { return g.Evaluate(ctx, data) },
			transfer: func(ctx context.Context) ([][]int64, error) { return g.Transfer(ctx, data, dec) },
		}
	}
	m := smlm.New(enc)
	made := model{
		params: []*nn.Params{m.Params},
		train: func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Train(ctx, data, dev, o, smlm.VariedMasks{}, r)
		},
		evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data, o) },
		transfer: func(ctx context.Context) ([][]int64, error) { return m.Transfer(ctx, data, dec) },
	}
	if c.Model == "smlm-ft" {
		head := smlm.NewHead(c.Dim, 1)
		loss := smlm.FinetuneLoss{LambdaSta: c.Style, LambdaRec: c.Reconstruct, Objective: o}
		made.params = append(made.params, head.Params)
		made.train = func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Finetune(ctx, head, data, dev, loss, r)
		}
	}
	return made
}
