package smlm

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Objective says which positions a reconstruction loss counts, and how it adds them up. The zero
// value is the paper's (section "Bootstrapping on Same Style Reconstruction Task"), as a mean over
// all words:
//
//	L_BS(theta_SMLM) = -log q_SMLM(x^s | x^m, s, s)
//
// The paper prints x^s behind the bar; its text, and this, mean the masked x^m.
type Objective = recipe.Objective

// targets is what a reconstruction loss counts of a batch.
type targets struct {
	rows      []int64 // of states [B, L, d] flattened to [B*L, d]
	tokens    []int64 // wanted there
	sentences int
	objective Objective
}

// over returns the number of positions or sentences that the loss is a mean over.
func (t targets) over() int {
	if t.objective.Reduction == recipe.Sentence {
		return t.sentences
	}
	return len(t.rows)
}

// loss returns -log q(x^s | x^m) over the positions that count, given their states [K, d]: L_BS
// where [dst] = [src]. It is nil where no position counts.
func (m *Model) loss(states *torch.Tensor, t targets) *torch.Tensor {
	switch {
	case len(t.rows) == 0:
		return nil
	case t.objective.Reduction == recipe.Sentence:
		return torch.VocabLoss(states, m.out.W, m.out.B, ints(t.tokens), torch.ReduceSum).Scale(1 / float64(t.over()))
	default:
		return torch.VocabLoss(states, m.out.W, m.out.B, ints(t.tokens), torch.ReduceMean)
	}
}

// lossOf is loss, of all states [B, L, d].
func (m *Model) lossOf(states *torch.Tensor, t targets) *torch.Tensor {
	if len(t.rows) == 0 {
		return nil
	}
	return m.loss(states.Reshape(-1, int64(m.Config.Dim)).Rows(ints(t.rows)), t)
}
