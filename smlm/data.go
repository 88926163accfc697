package smlm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Data is style-masked sentences: the words' ids, which of them are masked, and the sentence's own style, 0 or 1.
type Data struct {
	IDs    [][]int64
	Masks  [][]bool
	Styles []int
}

// WithMask returns the sentences that have at least one masked word.
func (d Data) WithMask() Data {
	var out Data
	for i, m := range d.Masks {
		for _, on := range m {
			if on {
				out.IDs, out.Masks, out.Styles = append(out.IDs, d.IDs[i]), append(out.Masks, m), append(out.Styles, d.Styles[i])
				break
			}
		}
	}
	return out
}

// dest says which style the [dst] code asks for.
type dest int

const (
	same  dest = iota // dst = src: reconstruction
	other             // dst = the opposite style: transfer
)

// inputs returns concat(x^m, [src], [dst]) of a batch, [B, T+2] (the paper, "Control Codes").
func (d Data) inputs(batch []int, to dest) *torch.Tensor {
	t := len(d.IDs[batch[0]])
	flat := make([]int64, 0, len(batch)*(t+2))
	for _, i := range batch {
		for k, id := range d.IDs[i] {
			if d.Masks[i][k] {
				id = corpus.MaskID
			}
			flat = append(flat, id)
		}
		src := d.Styles[i]
		dst := src
		if to == other {
			dst = 1 - src
		}
		flat = append(flat, corpus.SrcID(src), corpus.DstID(dst))
	}
	return torch.FromInts(flat, int64(len(batch)), int64(t+2))
}

// targets returns the positions a loss counts, as rows of a flattened [B*T, d], and the word ids wanted there.
func (d Data) targets(batch []int, maskedOnly bool) (rows, words []int64) {
	t := len(d.IDs[batch[0]])
	for b, i := range batch {
		for k, id := range d.IDs[i] {
			if !maskedOnly || d.Masks[i][k] {
				rows, words = append(rows, int64(b*t+k)), append(words, id)
			}
		}
	}
	return rows, words
}

func ints(xs []int64) *torch.Tensor { return torch.FromInts(xs, int64(len(xs))) }

// styles returns the style every sentence of the batch is asked for, [B].
func (d Data) styles(batch []int, to dest) *torch.Tensor {
	s := make([]int64, len(batch))
	for k, i := range batch {
		s[k] = int64(d.Styles[i])
		if to == other {
			s[k] = 1 - s[k]
		}
	}
	return ints(s)
}

func (d Data) lengths() []int { return nn.Lengths(d.IDs) }
