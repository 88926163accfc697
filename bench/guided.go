package main

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// The training text of guided refill: so many sentences for each word of the vocabulary, drawn with
// this seed.
const (
	sentencesAWord = 1
	textSeed       = 21
)

// newGuided returns guided refill with all that it asks: an SMLM and, as guide, a word CNN, each
// trained on two epochs of made-up text, and its n-grams. Of untrained models the guide would doubt
// every output and the refiller know no style, which is another amount of work.
func newGuided(c benchCase, s styledSentences) benchModel {
	shape, guideShape := c.SMLM, c.Guide
	shape.Vocab, guideShape.Vocab = c.Vocab, c.Vocab
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
			_, err := m.Train(ctx, text.Encoded, few, smlm.Objective{Loss: recipe.Masked}, smlm.VariedMasks{}, r)
			return err
		},
		Transfer: func(ctx context.Context) ([][]int64, error) {
			return m.Transfer(ctx, data, smlm.Decoding{Decoding: recipe.Copied, BF16: c.BF16})
		},
	}
	if c.Guided == nil {
		return made
	}
	r := guided.Refiller{How: *c.Guided, LogShare: guided.LogShares(text.Encoded, c.Vocab)}
	if r.How.AsksGuide() {
		r.Guide = guide
	}
	if r.How.Fluency > 0 {
		r.Fluency = ngram.Train(text.IDs, 3, c.Vocab)
	}
	made.Transfer = func(ctx context.Context) (ids [][]int64, err error) {
		err = m.Refilling(c.BF16, len(data.IDs), func(f *smlm.Filler) error {
			r.Filler = f
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
