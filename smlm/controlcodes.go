package smlm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// controlCodes makes an encoder's inputs of words, and says which position predicts which word.
// With SourceToken alone it is the paper's concat(x^m, [src], [dst]) (section "A Style-aware MLM",
// Control Codes): w1 .. wn [src] [dst], every word predicted where it stands.
//
//	q_SMLM = q(x^s  | x^m) if [dst] = [src], same-style reconstruction
//	q_SMLM = q(x^s' | x^m) if [dst] is another style s', transfer
//
// The published code has the two others: its input is <s_cls> <go> w1 .. wn [dst] and its target
// <s_cls> w1 .. wn <eos> [dst].
//
// With slots, masked words come in groups of so many, one group a mask (see withSlots). The first
// slot of each is <mask> to the encoder, the others are <eos>, so that it knows one group from the
// next.
type controlCodes struct {
	recipe.ControlCodes
	slots int
}

// clsID is <s_cls>. Nothing is ever padded (batches hold sentences of one length), so that the
// padding token's id is free for it.
const clsID = corpus.PadID

// front counts the positions before the n that predict words.
func (c controlCodes) front() int64 {
	if c.ClsToken {
		return 1
	}
	return 0
}

// around counts the positions that predict no word: <s_cls>, <eos> and the codes.
func (c controlCodes) around() int64 {
	n := c.front() + 1
	if c.SourceToken {
		n++
	}
	if c.ShiftTargets {
		n++
	}
	return n
}

// input returns the encoder's input for words, n + around() tokens.
func (c controlCodes) input(words []int64, mask []bool, src, dst int) []int64 {
	var ids []int64
	if c.ClsToken {
		ids = append(ids, clsID)
	}
	if c.ShiftTargets {
		ids = append(ids, corpus.BosID)
	}
	slot := 0 // of the masks that stand side by side
	for k, id := range words {
		switch {
		case !mask[k]:
			slot = 0
		case c.slots > 0 && slot%c.slots > 0:
			id, slot = corpus.EosID, slot+1
		default:
			id, slot = corpus.MaskID, slot+1
		}
		ids = append(ids, id)
	}
	return c.codes(ids, src, dst)
}

// target returns what every position of input should predict: words at positions front() to front()
// + n, elsewhere <eos> or the token itself.
func (c controlCodes) target(words []int64, src, dst int) []int64 {
	var ids []int64
	if c.ClsToken {
		ids = append(ids, clsID)
	}
	ids = append(ids, words...)
	if c.ShiftTargets {
		ids = append(ids, corpus.EosID)
	}
	return c.codes(ids, src, dst)
}

func (c controlCodes) codes(ids []int64, src, dst int) []int64 {
	if c.SourceToken {
		ids = append(ids, corpus.SrcID(src))
	}
	return append(ids, corpus.DstID(dst))
}

// grid returns the inputs of a batch of sentences of n words, [B, n + around()]. to has the style
// of every sentence's [dst]: d.Styles for a reconstruction, d.Asked for a transfer.
func (c controlCodes) grid(d corpus.Encoded, batch, to []int) nn.Grid {
	var flat []int64
	for _, i := range batch {
		flat = append(flat, c.input(d.IDs[i], d.Masks[i], d.Styles[i], to[i])...)
	}
	return nn.Grid{IDs: flat, Rows: len(batch)}
}

// inputs is grid as a tensor.
func (c controlCodes) inputs(d corpus.Encoded, batch, to []int) *torch.Tensor {
	return c.grid(d, batch, to).Tensor()
}

// targets returns the positions of a batch that a loss counts and the tokens wanted there; to is as
// in grid.
func (c controlCodes) targets(d corpus.Encoded, batch, to []int, o Objective) targets {
	from := int(c.front())
	t := targets{objective: o, sentences: len(batch)}
	for b, i := range batch {
		want := c.target(d.IDs[i], d.Styles[i], to[i])
		for p, id := range want {
			counts := o.Loss == recipe.Positions
			if k := p - from; k >= 0 && k < len(d.IDs[i]) {
				counts = o.Loss != recipe.Masked || d.Masks[i][k]
			}
			if counts {
				t.rows, t.tokens = append(t.rows, int64(b*len(want)+p)), append(t.tokens, id)
			}
		}
	}
	return t
}

// words returns the states [B, n, d] of the positions that predict words, of all states [B, L, d].
func (c controlCodes) words(states *torch.Tensor) *torch.Tensor {
	return states.Narrow(1, c.front(), states.Size(1)-c.around())
}

// wordsAndCls returns words' states with that of <s_cls> before them, [B, n+1, d].
func (c controlCodes) wordsAndCls(states *torch.Tensor) *torch.Tensor {
	return states.Narrow(1, 0, states.Size(1)-c.around()+c.front())
}

// pick returns the styles of a batch among those of all sentences.
func pick(styles, batch []int) []int64 {
	s := make([]int64, len(batch))
	for k, i := range batch {
		s[k] = int64(styles[i])
	}
	return s
}

func ints(xs []int64) *torch.Tensor { return torch.FromInts(xs, int64(len(xs))) }

func lengths(d corpus.Encoded) []int { return nn.Lengths(d.IDs) }
