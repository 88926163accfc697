package smlm

import "github.com/smlm-exp/smlm-exp/internal/torch"

// Objective says which positions a reconstruction loss counts, and how it adds them up. The zero value is the paper's L_BS: the mean over
// all words.
type Objective struct {
	MaskedOnly  bool // of the words only the masked ones
	Codes       bool // beside the words every other position: <s_cls>, <eos> and the codes; the published code counts them
	PerSentence bool // the sum over a sentence's positions, averaged over the sentences (the published code)
}

// reconstruction returns -log q(x^s | x^m, s, s') over the positions that count, of all states [B, L, d] of a batch that was asked for
// to, and over how many positions or sentences it is a mean. The loss is nil where no position counts.
func (m *Model) reconstruction(states *torch.Tensor, d Data, batch []int, to dest, o Objective) (loss *torch.Tensor, over int) {
	rows, tokens := m.Config.Frame.targets(d, batch, to, o)
	over = len(rows)
	if o.PerSentence {
		over = len(batch)
	}
	if len(rows) == 0 {
		return nil, over
	}
	logits := m.Logits(states, ints(rows))
	if o.PerSentence {
		return torch.CrossEntropy(logits, ints(tokens), torch.ReduceSum).Scale(1 / float64(over)), over
	}
	return torch.CrossEntropy(logits, ints(tokens), torch.ReduceMean), over
}
