package pretrained

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// encode returns the pieces of sentences, with special tokens. As with truncation in transformers,
// a sentence that is too long keeps its first pieces and the final special token. encode adds to
// the counts of pieces and of unknown ones.
func (c *Comparer) encode(ctx context.Context, sentences []string) (rows [][]int64, err error) {
	for _, s := range sentences {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := c.truncate(c.tokenizer.Encode(s))
		c.Pieces += len(row)
		for _, id := range row {
			if id == c.tokenizer.Unk {
				c.Unknown++
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// truncate shortens a sentence's pieces to the maximum, and counts the sentences that it has
// shortened.
func (c *Comparer) truncate(ids []int64) []int64 {
	if len(ids) > c.MaxPieces {
		c.Truncated++
		return append(slices.Clone(ids[:c.MaxPieces-1]), ids[len(ids)-1])
	}
	return ids
}

// dim is the width of a hidden state.
func (c *Comparer) dim() int { return int(c.pieces.W.Size(1)) }

// encoded holds an encoder's outputs for a sentence.
type encoded struct {
	states []float32 // [pieces * d]: unit vectors of the states after the last layer
	pooled []float32 // [d]: unit vector of the pooled states
}

// encodeAll returns the states and the pooled states of sentences given as pieces. Sentences of
// equal length form batches, so there is no padding.
func (c *Comparer) encodeAll(ctx context.Context, rows [][]int64) ([]encoded, error) {
	out, d := make([]encoded, len(rows)), c.dim()
	err := nn.ForEach(ctx, rows, func(batch []int) error {
		x := c.encoder.Inputs(c.pieces.Forward(nn.Gather(rows, batch).Tensor()), false)
		for _, l := range c.encoder.Layers {
			x = l.Forward(x, false)
		}
		states, pooled := x.Floats(), c.pool(x).Floats()
		bertscore.Unit(states, d)
		bertscore.Unit(pooled, d)
		length := len(rows[batch[0]]) * d
		for k, i := range batch {
			out[i] = encoded{states[k*length : (k+1)*length], pooled[k*d : (k+1)*d]}
		}
		return nil
	})
	return out, err
}

// pool maps the states of sentences [B, T, d] to one vector for each sentence, [B, d].
func (c *Comparer) pool(states *torch.Tensor) *torch.Tensor {
	if c.Pooling == folder.CLS {
		return states.Narrow(1, 0, 1)
	}
	return states.MeanDim(1, false)
}
