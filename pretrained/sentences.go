package pretrained

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
)

// encode returns sentences' pieces, special ones included, as transformers does with truncation: of
// one that is too long the first pieces and the special one at the end.
func (c *Comparer) encode(sentences []string) (rows [][]int64) {
	for _, s := range sentences {
		rows = append(rows, c.cut(c.tokenizer.Encode(s)))
	}
	return rows
}

// cut shortens a sentence's pieces to what the encoder has positions for.
func (c *Comparer) cut(ids []int64) []int64 {
	if most := int(c.encoder.positions.Size(0)); len(ids) > most {
		return append(slices.Clone(ids[:most-1]), ids[len(ids)-1])
	}
	return ids
}

// dim is the width of a state.
func (c *Comparer) dim() int { return int(c.pieces.W.Size(1)) }

// encoded is what an encoder makes of a sentence.
type encoded struct {
	states []float32 // behind some layer, of length 1 each, [pieces * d]
	mean   []float32 // of the states behind all layers, of length 1, [d]
}

// encodeAll gives the states of sentences, each of some pieces, behind so many layers, and the
// means of those behind all. Sentences of equal length go through together: nothing is padded.
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
