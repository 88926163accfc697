package smlm

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Data is style-masked sentences: words and own style of each, and which of its words are masked.
type Data struct {
	nn.Labelled
	Masks [][]bool
}

// dataOf is the sentences as this package has them.
func dataOf(s guided.Sentences) Data {
	return Data{nn.Labelled{IDs: s.IDs, Styles: s.Styles}, s.Masks}
}

// WithMask returns the sentences that have at least one masked word.
func (d Data) WithMask() Data {
	var some []int
	for i, m := range d.Masks {
		if slices.Contains(m, true) {
			some = append(some, i)
		}
	}
	return d.pick(some)
}

// pick returns the sentences of these numbers, in this order.
func (d Data) pick(order []int) (out Data) {
	for _, i := range order {
		out.IDs, out.Styles = append(out.IDs, d.IDs[i]), append(out.Styles, d.Styles[i])
		out.Masks = append(out.Masks, d.Masks[i])
	}
	return out
}

// dest says which style the [dst] code asks for.
type dest int

const (
	same  dest = iota // dst = src: reconstruction
	other             // dst = the opposite style: transfer
)

// of returns the style asked for, of a sentence of this style.
func (to dest) of(style int) int {
	if to == other {
		return 1 - style
	}
	return style
}

func ints(xs []int64) *torch.Tensor { return torch.FromInts(xs, int64(len(xs))) }

// styles returns the style every sentence of the batch is asked for.
func (d Data) styles(batch []int, to dest) []int64 {
	s := make([]int64, len(batch))
	for k, i := range batch {
		s[k] = int64(to.of(d.Styles[i]))
	}
	return s
}

func (d Data) lengths() []int { return nn.Lengths(d.IDs) }
