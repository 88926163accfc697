package main

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// benchModel is one of them.
type benchModel struct {
	Params   []*nn.Params // in the order of benchCase.Weights
	Train    func(ctx context.Context, r nn.Recipe) (*nn.History, error)
	Evaluate func(ctx context.Context) (nn.Validation, error) // over all sentences
	Transfer func(ctx context.Context) ([][]int64, error)
	Prepare  func(ctx context.Context) error // what is wanted without benchCase.Weights; nil: drawn weights will do
}

// newModel makes a model; call it on the torch thread.
func newModel(c benchCase, s syntheticText) benchModel {
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
		return benchModel{Params: []*nn.Params{newLM(c).Params}}
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
		m := classifier.NewBiLSTM(of)
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
			return m.Train(ctx, data, dev, o, smlm.VariedMasks{}, recipe.Slotting{}, r)
		},
		Evaluate: func(ctx context.Context) (nn.Validation, error) { return m.Evaluate(ctx, data, o) },
		Transfer: func(ctx context.Context) ([][]int64, error) { return m.Transfer(ctx, data, dec) },
	}
	if c.Model == "smlm-ft" {
		head := smlm.NewHead(enc.Dim, 1, 2)
		loss := smlm.FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: c.Style, LambdaRec: c.Reconstruct}, Objective: o}
		made.Params = append(made.Params, head.Params)
		made.Train = func(ctx context.Context, r nn.Recipe) (*nn.History, error) {
			return m.Finetune(ctx, head, data, dev, loss, r)
		}
	}
	return made
}

// newLM returns the language model of a case, which knows so many words as its Vocab says, the
// first ones of a vocabulary. Call it on the torch thread.
func newLM(c benchCase) *lm.Model {
	known := make(lm.Words, c.Vocab)
	for i := range known {
		known[i] = corpus.NumSpecial + int64(i)
	}
	shape := c.LM
	shape.Known = known
	return lm.New(shape)
}

// The training text of guided refill: so many sentences for each word of the vocabulary, drawn with
// this seed.
const (
	sentencesAWord = 1
	textSeed       = 21
)

// newGuided returns guided refill with all that it asks: an SMLM and, as guide, a word CNN, each
// trained on two epochs of made-up text, and its n-grams. Of untrained models the guide would doubt
// every output and the refiller know no style, which is another amount of work.
func newGuided(c benchCase, s syntheticText) benchModel {
	shape, guideShape := c.SMLM, c.Guide
	shape.Vocab, guideShape.Vocab = c.Vocab, c.Vocab
	shape.Slots = c.Slotting.Slots
	m, guide := smlm.New(shape), classifier.NewCNN(guideShape)
	text := styled(sentencesAWord*c.Vocab, reviews, c.Vocab, textSeed)
	data, few := s.Encoded, s.few()
	made := benchModel{
		Params: []*nn.Params{m.Params, guide.Params},
		Prepare: func(ctx context.Context) error {
			r := c.Recipe()
			r.Epochs, r.BatchTokens, r.Beta1 = 2, 1500, .9
			if _, err := guide.Train(ctx, text.Encoded, few, r); err != nil {
				return err
			}
			o := smlm.Objective{Loss: recipe.Masked}
			_, err := m.Train(ctx, text.Encoded, few, o, smlm.VariedMasks{}, c.Slotting, r)
			return err
		},
		Transfer: func(ctx context.Context) ([][]int64, error) {
			return m.Transfer(ctx, data, smlm.Decoding{Decoding: recipe.Copied, BF16: c.BF16})
		},
	}
	if c.Guided == nil {
		return made
	}
	r := guided.Refiller{
		How: *c.Guided, Slots: shape.Slots, LogShare: guided.LogShares(text.Encoded, syntheticStyles, c.Vocab),
	}
	if r.How.AsksGuide() {
		r.Guide = guide
	}
	if r.How.Ranked {
		r.Ranker = guided.ShippedRanker(false)
	}
	if r.How.AsksNGrams() {
		r.Fluency = ngram.Train(text.IDs, 3, c.Vocab)
	}
	made.Transfer = func(ctx context.Context) (ids [][]int64, err error) {
		err = m.WithFiller(c.BF16, len(data.IDs), func(f *smlm.Filler) error {
			r.Filler, r.Likelihood = f, f
			out, err := r.Transfer(ctx, data)
			for _, o := range out {
				ids = append(ids, o.IDs())
			}
			return err
		})
		return ids, err
	}
	return made
}
