// Package masking finds the words of a sentence that carry its style: an Attribution scores them by
// a Diversity-LSTM, and package policy turns scores into masks.
package masking

import (
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// Attribution says how words get their scores: by which method, and by which of its definitions.
type Attribution struct {
	Method policy.Method
	policy.Scoring
}

// Scores is what an Attribution found in a data set.
type Scores struct {
	Words [][]float32 // one number a word, summing to 1; to less with a start token, by what lies on it
	// Of integrated gradients a number a sentence, else nil; before AttrReduce and AttrScale,
	// always multiplied by x - x'. Change is F(x) - F(x'), and Gap is how far the attributions' sum
	// is from it (Sundararajan et al. 2017, proposition 1). Where sentences share a loss, both are
	// the batch's, divided by its sentences.
	Gap, Change []float64
}

// wordsAtOnce bounds what goes through the model with gradients on: larger products are slower
// there.
const wordsAtOnce = 2000

// Scores explains every sentence of d by model m, whose classes are the styles 0 and 1. Sentences
// do not influence each other, but where the target is a loss whose conicity runs over the batch:
// batches are of equal length in the order given, nn.EvalTokens words at most. loss is used by the
// target "loss" alone, with its cross-entropy summed. progress may be nil. Call it on the torch
// thread.
func (a Attribution) Scores(
	ctx context.Context,
	m *divlstm.Model,
	d corpus.Encoded,
	loss divlstm.Loss,
	progress func(done, total int, note string),
) (Scores, error) {
	a, err := a.withDefaults(m, d)
	if err != nil {
		return Scores{}, fmt.Errorf("attributing by %s: %w", a.Method, err)
	}
	s := Scores{Words: make([][]float32, len(d.IDs))}
	if a.Method == policy.IntegratedGradients {
		s.Gap, s.Change = make([]float64, len(d.IDs)), make([]float64, len(d.IDs))
	}
	done := 0
	err = nn.ForEach(ctx, d.IDs, func(batch []int) error {
		e := explainer{Attribution: a, model: m, data: d, loss: loss}
		together := len(batch)
		if !e.shared() {
			together = max(1, wordsAtOnce/len(d.IDs[batch[0]]))
		}
		for e.batch = range slices.Chunk(batch, together) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := torch.Scoped(func() error { return e.explain(&s) }); err != nil {
				return err
			}
			if done += len(e.batch); progress != nil {
				progress(done, len(d.IDs), "")
			}
		}
		return nil
	})
	return s, err
}
