package smlm

import "github.com/smlm-exp/smlm-exp/internal/torch"

// Objective says which positions a reconstruction loss counts, and how it adds them up. The zero value is the paper's L_BS: the mean over
// all words.
type Objective struct {
	MaskedOnly  bool // of the words only the masked ones
	Codes       bool // beside the words every other position: <s_cls>, <eos> and the codes; the published code counts them
	PerSentence bool // the sum over a sentence's positions, averaged over the sentences (the published code)
}

// counted is what a reconstruction loss counts of a batch.
type counted struct {
	rows      []int64 // of states [B, L, d] flattened to [B*L, d]
	tokens    []int64 // wanted there
	sentences int
	objective Objective
}

// over returns the number of positions or sentences that the loss is a mean over.
func (c counted) over() int {
	if c.objective.PerSentence {
		return c.sentences
	}
	return len(c.rows)
}

// loss returns -log q(x^s | x^m, s, s') over the positions that count, given their states [K, d]. It is nil where no position counts.
func (m *Model) loss(states *torch.Tensor, c counted) *torch.Tensor {
	switch {
	case len(c.rows) == 0:
		return nil
	case c.objective.PerSentence:
		return torch.VocabLoss(states, m.out.W, m.out.B, ints(c.tokens), torch.ReduceSum).Scale(1 / float64(c.over()))
	default:
		return torch.VocabLoss(states, m.out.W, m.out.B, ints(c.tokens), torch.ReduceMean)
	}
}

// lossOf is loss, of all states [B, L, d].
func (m *Model) lossOf(states *torch.Tensor, c counted) *torch.Tensor {
	if len(c.rows) == 0 {
		return nil
	}
	return m.loss(states.Reshape(-1, int64(m.Config.Dim)).Rows(ints(c.rows)), c)
}
