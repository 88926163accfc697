// Package masking computes how strongly each word of a sentence carries the sentence's style. The
// function Score does this with a Diversity-LSTM. The package also reads and writes files of these
// scores. Package policy turns scores into masks.
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

// wordsAtOnce limits the number of words that go through the model together when gradients are
// computed, because larger matrix products are slower here.
const wordsAtOnce = 2000

// integrationSteps is the number of points at which integrated gradients computes gradients. With
// fewer points, the error of the integral is larger (see TestCompleteness).
const integrationSteps = 32

// Score scores the words of every sentence of d with model m, whose classes are the styles. It
// returns one score per word; the scores of a sentence sum to 1. Sentences do not influence each
// other. progress may be nil. Call Score on the torch thread.
func Score(
	ctx context.Context,
	method policy.Method,
	m *divlstm.Model,
	d corpus.Encoded,
	progress func(done, total int, note string),
) ([][]float32, error) {
	if err := check(m, d); err != nil {
		return nil, fmt.Errorf("attributing by %s: %w", method, err)
	}
	scores, done := make([][]float32, len(d.IDs)), 0
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		e := explainer{method: method, model: m, data: d}
		together := max(1, wordsAtOnce/len(d.IDs[batch[0]]))
		for e.batch = range slices.Chunk(batch, together) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := torch.Scoped(func() error { return e.explain(scores) }); err != nil {
				return err
			}
			if done += len(e.batch); progress != nil {
				progress(done, len(d.IDs), "")
			}
		}
		return nil
	})
	return scores, err
}

// explainer computes the scores of one batch. Its methods are called while gradients are switched
// off, and switch them on where they need derivatives.
type explainer struct {
	method policy.Method
	model  *divlstm.Model
	data   corpus.Encoded
	batch  []int
}

// explain writes the scores of the batch's sentences.
func (e *explainer) explain(scores [][]float32) error {
	x := e.model.Inputs(nn.Stack(e.data.IDs, e.batch), false) // [B, T, E]
	rows, err := e.rows(x)
	if err != nil {
		return err
	}
	n := int(x.Size(1))
	for k, i := range e.batch {
		words := make([]float32, n)
		for t, score := range rows[k*n : (k+1)*n] {
			words[t] = float32(score)
		}
		scores[i] = words
	}
	return nil
}

// rows returns, for each sentence of x [B, T, E], a distribution over its words: B*T numbers.
func (e *explainer) rows(x *torch.Tensor) ([]float64, error) {
	switch e.method {
	case policy.ExplainableAttention, policy.VanillaAttention:
		attention := doubles(e.model.FromInputs(x).Attention)
		return attention, finite(attention)
	case policy.AttentionXInput:
		return distributions(e.attentionXInput(x), int(x.Size(1)))
	}
	a, err := e.attributions(x, integrationSteps)
	if err != nil {
		return nil, err
	}
	return e.summed(a)
}

// summed returns a distribution over the words of each sentence, given the attributions [B, T, E].
func (e *explainer) summed(a *torch.Tensor) ([]float64, error) {
	n := int(a.Size(1))
	if e.method == policy.Gradients { // use only the norm: the sign of a gradient says nothing about a word
		return distributions(lengths(a), n)
	}
	return distributions(sums(a), n)
}

// attentionXInput returns, for x [B, T, E], each word's attention times the norm of its input
// (docs/decisions/018-attention-x-input.md):
//
//	alpha_t ||x_t||
func (e *explainer) attentionXInput(x *torch.Tensor) []float64 {
	rows := lengths(x)
	for i, a := range doubles(e.model.FromInputs(x).Attention) {
		rows[i] *= a
	}
	return rows
}

// attributions returns the method's attributions of x [B, T, E], in the same shape. Integrated
// gradients are computed at the given number of points.
func (e *explainer) attributions(x *torch.Tensor, points int) (g *torch.Tensor, err error) {
	if e.method == policy.IntegratedGradients {
		g, err = e.meanGradient(x, points)
	} else {
		g, err = e.gradient(x)
	}
	if err == nil && e.method != policy.Gradients {
		g = g.Mul(x)
	}
	return g, err
}

// check returns an error if the model and the data do not fit together.
func check(m *divlstm.Model, d corpus.Encoded) error {
	for i, ids := range d.IDs {
		if len(ids) == 0 {
			return fmt.Errorf("sentence %d has no words", i+1)
		}
		if styles := m.Config.StylesOrTwo(); d.Styles[i] < 0 || d.Styles[i] >= styles {
			return fmt.Errorf("sentence %d has the style %d, but the model knows the styles 0 to %d", i+1, d.Styles[i],
				styles-1)
		}
	}
	return nil
}
