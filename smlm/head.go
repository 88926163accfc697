package smlm

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Head is the discriminator p_cls of fine-tuning: linear over the mean state of a sentence's words
// (the paper, footnote to L_cls). It is trained here from nothing and is not the evaluation
// classifier.
type Head struct {
	Params *nn.Params
	layers []*nn.Linear
}

// NewHead returns a head for states of dim numbers: of one layer (the paper, footnote to L_cls), or
// of two, dim to dim to 2 with no non-linearity between, as in the published code.
func NewHead(dim, layers int) *Head {
	p := nn.NewParams()
	if layers == 1 {
		return &Head{Params: p, layers: []*nn.Linear{nn.NewLinear(p, "head", dim, 2)}}
	}
	h := &Head{Params: p}
	for i := range layers - 1 {
		h.layers = append(h.layers, nn.NewLinear(p, fmt.Sprintf("head.%d", i), dim, dim))
	}
	h.layers = append(h.layers, nn.NewLinear(p, fmt.Sprintf("head.%d", layers-1), dim, 2))
	return h
}

// Logits maps states [B, T, d] to style logits [B, 2].
func (h *Head) Logits(states *torch.Tensor) *torch.Tensor {
	x := states.MeanDim(1, false)
	for _, l := range h.layers {
		x = l.Forward(x)
	}
	return x
}

// fixed returns the head with its weights as constants, for a loss that must not move it.
func (h *Head) fixed() *Head {
	c := &Head{}
	for _, l := range h.layers {
		c.layers = append(c.layers, &nn.Linear{W: l.W.Detach(), B: l.B.Detach()})
	}
	return c
}
