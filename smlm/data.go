package smlm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

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

// styles returns the style every sentence of the batch is asked for.
func (to dest) styles(d corpus.Encoded, batch []int) []int64 {
	s := make([]int64, len(batch))
	for k, i := range batch {
		s[k] = int64(to.of(d.Styles[i]))
	}
	return s
}

func ints(xs []int64) *torch.Tensor { return torch.FromInts(xs, int64(len(xs))) }

func lengths(d corpus.Encoded) []int { return nn.Lengths(d.IDs) }
