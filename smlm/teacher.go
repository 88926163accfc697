package smlm

import (
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Teacher is a model that another of the same words and inputs learns from (Hinton et al. 2015).
type Teacher struct {
	*Model
	// Weight is that of the teacher's term in the loss, from 0 to 1.
	Weight float64
}

// loss returns, given the student's states of the positions that count,
//
//	(1 - w) L_BS - w sum_x q_T(x | x^m) log q(x | x^m)
//
// whose second term is a sum over the vocabulary, and a mean over positions or sentences as that of
// L_BS is. q_T is the teacher's distribution without dropout.
func (t *Teacher) loss(student *Model, ids, states *torch.Tensor, want targets) *torch.Tensor {
	if len(want.rows) == 0 {
		return nil
	}
	var said *torch.Tensor
	_ = torch.NoGrad(func() error { // it returns what the function does
		said = t.out.Forward(t.enc.rows(ids, want.rows, false)).To(torch.Float).Softmax(1).Keep()
		return nil
	})
	soft := said.Mul(student.out.Forward(states).To(torch.Float).LogSoftmax(1)).Sum().
		Scale(-t.Weight / float64(want.denominator()))
	if t.Weight == 1 {
		return soft
	}
	return student.loss(states, want).Scale(1 - t.Weight).Add(soft)
}
