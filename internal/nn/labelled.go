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

// Add counts a batch's logits [B, 2] in: v is of sums until Mean divides them.
func (v *Validation) Add(d Labelled, batch []int, logits *torch.Tensor) {
	v.Loss += d.CrossEntropy(logits, batch, torch.ReduceSum).Item()
	v.Accuracy += 100 * d.Right(logits, batch)
}

// Mean returns the mean loss and the accuracy of n sentences.
func (v *Validation) Mean(n int) Validation {
	return Validation{Loss: v.Loss / float64(n), Accuracy: v.Accuracy / float64(n)}
}
