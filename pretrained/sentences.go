package pretrained

import (
	"context"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// reader is a model with the tokenizer of its folder.
type reader struct {
	*Model
	folder *folder.Folder
}

// encode returns sentences' pieces, special ones included, as transformers does with truncation:
// of one that is too long the first pieces and the special one at the end. White space around it
// is left out, and a prefix stands before what is not empty.
func (r *reader) encode(prefix string, sentences []string) (rows [][]int64, err error) {
	for _, s := range sentences {
		if s = strings.TrimSpace(s); s != "" {
			s = prefix + s
		}
		ids, err := r.folder.Tokenizer.Encode(s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r.cut(ids))
	}
	return rows, nil
}

// cut shortens a sentence's pieces to what the model has positions for.
func (m *Model) cut(ids []int64) []int64 {
	if most := m.MostTokens(); len(ids) > most {
		return append(slices.Clone(ids[:most-1]), ids[len(ids)-1])
	}
	return ids
}

// encoded is what an encoder makes of a sentence.
type encoded struct {
	states []float32 // behind some layer, of length 1 each, [pieces * d]
	mean   []float32 // of the states behind all layers, of length 1, [d]
}

// encodeAll gives the states of sentences, each of some pieces, behind so many layers, and the
// means of those behind all. Sentences of equal length go through together: nothing is padded.
func (m *Model) encodeAll(ctx context.Context, rows [][]int64, layer int) ([]encoded, error) {
	out, d := make([]encoded, len(rows)), m.Config.Dim
	err := nn.ForEach(ctx, rows, func(batch []int) error {
		x := m.Inputs(m.pieces.Forward(nn.Gather(rows, batch).Tensor()), false)
		var states []float32
		for k, l := range m.Layers {
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
