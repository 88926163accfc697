package nn

import "github.com/smlm-exp/smlm-exp/internal/torch"

// Labelled is sentences with their styles: word ids, and 0 or 1.
type Labelled struct {
	IDs    [][]int64
	Styles []int
}

// CrossEntropy returns the loss of a batch's logits [B, 2].
func (d Labelled) CrossEntropy(logits *torch.Tensor, batch []int, r torch.Reduction) *torch.Tensor {
	return torch.CrossEntropy(logits, classIDs(d.Styles, batch), r)
}

// Right returns how many of a batch's sentences have their largest logit at their style.
func (d Labelled) Right(logits *torch.Tensor, batch []int) float64 {
	n := 0.0
	for k, c := range logits.Argmax(1).Ints() {
		if int(c) == d.Styles[batch[k]] {
			n++
		}
	}
	return n
}
