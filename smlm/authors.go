package smlm

import "github.com/smlm-exp/smlm-exp/internal/torch"

// AuthorsCount returns the number of parameters by the published code's count, 45,295,974 at the
// paper's size with a feed-forward width of 2048 and 25,009 tokens. Beside the model, its frozen
// embedding and a style head of two layers that code holds two modules nothing ever uses: a second
// projection to words, as large as the model's own, and a second head, of "fluency". A head is
// built to be counted; the random generator is left as it was. Call it on the torch thread, in a
// scope.
func (m *Model) AuthorsCount() int {
	defer torch.SetRNGState(torch.RNGState())
	head := NewHead(m.Config.Dim, 2)
	defer head.Params.Free()
	projection := int(m.out.W.Numel() + m.out.B.Numel())
	return m.Params.Count() + projection + 2*head.Params.Count()
}
