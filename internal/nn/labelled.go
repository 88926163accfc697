package nn

import "github.com/smlm-exp/smlm-exp/internal/torch"

// CrossEntropy returns the loss of a batch's logits [B, 2], given the styles of all sentences.
func CrossEntropy(logits *torch.Tensor, styles, batch []int, r torch.Reduction) *torch.Tensor {
	return torch.CrossEntropy(logits, classIDs(styles, batch), r)
}

// Right returns how many of a batch's sentences have their largest logit [B, 2] at their style.
func Right(logits *torch.Tensor, styles, batch []int) float64 {
	n := 0.0
	for k, c := range logits.Argmax(1).Ints() {
		if int(c) == styles[batch[k]] {
			n++
		}
	}
	return n
}

// Add counts a batch's logits [B, 2] in, given the styles of all sentences: v is of sums until Mean
// divides them.
func (v *Validation) Add(logits *torch.Tensor, styles, batch []int) {
	v.Loss += CrossEntropy(logits, styles, batch, torch.ReduceSum).Item()
	v.Accuracy += 100 * Right(logits, styles, batch)
}

// Mean returns the mean loss and the accuracy of n sentences.
func (v *Validation) Mean(n int) Validation {
	return Validation{Loss: v.Loss / float64(n), Accuracy: v.Accuracy / float64(n)}
}
