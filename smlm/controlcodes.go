package smlm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// controlCodes builds an encoder's input from the words of a masked sentence x^m. With SourceToken,
// the input is the paper's concat(x^m, [src], [dst]) (section "A Style-aware MLM", Control Codes):
// w1 .. wn [src] [dst]. Each word is predicted at its own position.
//
//	q_SMLM = q(x^s  | x^m) if [dst] = [src], same-style reconstruction
//	q_SMLM = q(x^s' | x^m) if [dst] is another style s', transfer
type controlCodes recipe.ControlCodes

// count returns the number of codes. The codes follow the words, and no word is predicted at the
// positions of codes.
func (c controlCodes) count() int64 {
	if c.SourceToken {
		return 2
	}
	return 1
}

// input returns the encoder's input for a sentence of n words: n + count() tokens.
func (c controlCodes) input(words []int64, mask []bool, src, dst int) []int64 {
	ids := corpus.Masked(words, mask, corpus.MaskID)
	if c.SourceToken {
		ids = append(ids, corpus.SrcID(src))
	}
	return append(ids, corpus.DstID(dst))
}

// grid returns the inputs of a batch of sentences of n words, [B, n + count()]. dst holds the [dst]
// style of every sentence: d.Styles for reconstruction, d.Targets for transfer.
func (c controlCodes) grid(d corpus.Encoded, batch, dst []int) nn.Grid {
	var flat []int64
	for _, i := range batch {
		flat = append(flat, c.input(d.IDs[i], d.Masks[i], d.Styles[i], dst[i])...)
	}
	return nn.Grid{IDs: flat, Rows: len(batch)}
}

// inputs returns the result of grid as a tensor.
func (c controlCodes) inputs(d corpus.Encoded, batch, dst []int) *torch.Tensor {
	return c.grid(d, batch, dst).Tensor()
}

// targets returns the positions of a batch that count in a loss, and the word expected at each
// position.
func (c controlCodes) targets(d corpus.Encoded, batch []int, o Objective) targets {
	var t targets
	for b, i := range batch {
		length := len(d.IDs[i]) + int(c.count())
		for k, id := range d.IDs[i] {
			if o.Loss != recipe.Masked || d.Masks[i][k] {
				t.rows, t.tokens = append(t.rows, int64(b*length+k)), append(t.tokens, id)
			}
		}
	}
	return t
}

// words returns the states of the word positions [B, n, d], given all states [B, L, d].
func (c controlCodes) words(states *torch.Tensor) *torch.Tensor {
	return states.Narrow(1, 0, states.Size(1)-c.count())
}

// pick returns the styles of the sentences in a batch, given the styles of all sentences.
func pick(styles, batch []int) []int64 {
	s := make([]int64, len(batch))
	for k, i := range batch {
		s[k] = int64(styles[i])
	}
	return s
}

func ints(xs []int64) *torch.Tensor { return torch.FromInts(xs, int64(len(xs))) }

func lengths(d corpus.Encoded) []int { return nn.Lengths(d.IDs) }
