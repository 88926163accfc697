package pretrained

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
)

// encode returns the pieces of sentences with special tokens, as transformers does with truncation:
// a sentence that is too long keeps its first pieces and the final special token.
func (c *Comparer) encode(sentences []string) (rows [][]int64) {
	for _, s := range sentences {
		rows = append(rows, c.cut(c.tokenizer.Encode(s)))
	}
	return rows
}

// cut shortens a sentence's pieces to the number of positions of the encoder.
func (c *Comparer) cut(ids []int64) []int64 {
	if most := int(c.encoder.positions.Size(0)); len(ids) > most {
		return append(slices.Clone(ids[:most-1]), ids[len(ids)-1])
	}
	return ids
}

// dim is the width of a hidden state.
func (c *Comparer) dim() int { return int(c.pieces.W.Size(1)) }

// encoded holds an encoder's outputs for a sentence.
type encoded struct {
	states []float32 // after the chosen layer, each of length 1, [pieces * d]
	mean   []float32 // mean state after the last layer, of length 1, [d]
}

// encodeAll returns the states of sentences, given as pieces, after the given number of layers, and
// their mean states after the last. Sentences of equal length form batches, so there is no padding.
func (c *Comparer) encodeAll(ctx context.Context, rows [][]int64, layer int) ([]encoded, error) {
	out, d := make([]encoded, len(rows)), c.dim()
	err := nn.ForEach(ctx, rows, func(batch []int) error {
		x := c.encoder.Inputs(c.pieces.Forward(nn.Gather(rows, batch).Tensor()), false)
		var states []float32
		for k, l := range c.encoder.Layers {
			if k == layer {
				states = x.Floats()
			}
			x = l.Forward(x, false)
		}
		if states == nil {
			states = x.Floats()
		}
		means := x.MeanDim(1, false).Floats()
		bertscore.Unit(states, d)
		bertscore.Unit(means, d)
		length := len(rows[batch[0]]) * d
		for k, i := range batch {
			out[i] = encoded{states[k*length : (k+1)*length], means[k*d : (k+1)*d]}
		}
		return nil
	})
	return out, err
}
