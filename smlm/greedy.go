package smlm

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// This file implements the greedy decoding of SMLM-G: at each position, the likeliest token
// follows. Sentences are decoded in groups, and those of a group may be at different positions. A
// step decodes each sentence up to the next word that must be chosen. nn.DecoderCache keeps the
// keys and values of decoded positions, so no position is decoded twice.

const (
	// decodingSlots is the maximum number of positions that are cached in each layer. Their keys
	// and values take 64 MiB per layer if states have 512 numbers.
	decodingSlots = 16384
	// packFrom is the minimum number of sentences for which the decoder's weights are packed
	// (torch.Packing). For fewer than about thirty, packing takes longer than it saves.
	packFrom = 32
	// packRows is the number of rows that weights are packed for. The real number of rows may
	// differ, because oneDNN uses the same layout for all numbers from 16 on.
	packRows = 256
)

// packing returns how to pack weights for the given number of sentences.
func (dec Decoding) packing(sentences int) torch.Packing {
	packing := torch.Packing{BF16: dec.BF16}
	if sentences >= packFrom {
		packing.Rows = packRows
	}
	return packing
}

// Transfer rewrites every sentence into its target style d.Targets. An output has at least one word
// and at most dec.MaxExtra more words than its source. If dec copies words, the output has exactly
// as many words as its source. The only special token that can be chosen is <eos>, which is not
// returned.
func (g *Generator) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	drafts := map[int]*draft{} // by index of the sentence, for sentences that need the model
	for i := range d.IDs {
		w := newDraft(d.IDs[i], d.Masks[i], dec)
		if w.copyWords(); w.done {
			out[i] = w.words
		} else {
			drafts[i] = w
		}
	}
	if len(drafts) == 0 {
		return out, ctx.Err()
	}
	return out, torch.NoGrad(func() error {
		w := g.incremental(drafts, dec)
		for _, group := range groupSentences(d, drafts) {
			if err := torch.Scoped(func() error { return w.decode(ctx, d, group, drafts) }); err != nil {
				return err
			}
			for _, i := range slices.Concat(group...) {
				out[i] = drafts[i].words
				delete(drafts, i)
			}
		}
		return nil
	})
}

// incrementalGenerator is a Generator prepared for decoding that decodes no position twice.
type incrementalGenerator struct {
	*Generator
	dec       Decoding
	decoder   *nn.IncrementalDecoder
	words     *torch.Packed
	positions *torch.Tensor // the encodings of all positions that an output may reach [T, d]
}

// incremental prepares the generator for these drafts. The new tensors are freed when the innermost
// open torch scope closes.
func (g *Generator) incremental(drafts map[int]*draft, dec Decoding) *incrementalGenerator {
	longest := 0
	for _, w := range drafts {
		longest = max(longest, w.maxWords)
	}
	packing := dec.packing(len(drafts))
	d := int64(g.Config.Dim)
	return &incrementalGenerator{
		Generator: g, dec: dec, decoder: nn.NewIncrementalDecoder(g.layers, packing),
		words:     torch.Pack(g.out.W, g.out.B, packing),
		positions: g.enc.positions.Table(longest+1, int(d)).Reshape(-1, d),
	}
}

// slots returns the maximum number of positions that may be decoded for a draft.
func (w *draft) slots() int { return w.maxWords + 1 }

// groupSentences splits the sentences into groups that are decoded together. A group consists of
// batches. The sentences of a batch have equal length, because the encoder needs that. The decoder
// takes outputs of different lengths, so a group can be large even if few sentences have the same
// length.
func groupSentences(d corpus.Encoded, drafts map[int]*draft) (groups [][][]int) {
	var group [][]int
	slots := 0
	for _, batch := range nn.Sorted(lengths(d), nn.EvalTokens) {
		batch = slices.DeleteFunc(batch, func(i int) bool { return drafts[i] == nil })
		if len(batch) == 0 {
			continue
		}
		from := 0
		for k, i := range batch {
			n := drafts[i].slots()
			if slots > 0 && slots+n > decodingSlots {
				if k > from {
					group = append(group, batch[from:k])
				}
				groups = append(groups, group)
				group, slots, from = nil, 0, k
			}
			slots += n
		}
		group = append(group, batch[from:])
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}

// decode writes the outputs of a group of sentences. In each step, every unfinished output gets one
// word that the model chooses, and the copied words after it.
func (w *incrementalGenerator) decode(
	ctx context.Context, d corpus.Encoded, group [][]int, drafts map[int]*draft,
) error {
	var unfinished []*draft
	var states []*torch.Tensor
	memory, slots := int32(0), 0
	for _, batch := range group {
		err := torch.Scoped(func() error {
			states = append(states, w.encode(d, batch).Keep())
			return nil
		})
		if err != nil {
			return err
		}
		width := int32(states[len(states)-1].Size(0)) / int32(len(batch))
		for _, i := range batch {
			b := drafts[i]
			b.memory, b.width = memory, width
			unfinished = append(unfinished, b)
			memory += width
			slots += b.slots()
		}
	}
	cache := w.decoder.Cache(torch.Cat(0, states...), slots)
	for len(unfinished) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := torch.Scoped(func() error { w.step(unfinished, cache); return nil }); err != nil {
			return err
		}
		unfinished = slices.DeleteFunc(unfinished, func(b *draft) bool { return b.done })
	}
	return nil
}

// encode returns the encoder's states [B*L, d] for a batch of sentences of equal length.
func (w *incrementalGenerator) encode(d corpus.Encoded, batch []int) *torch.Tensor {
	var states *torch.Tensor
	torch.Autocast(w.dec.BF16, func() { states = w.enc.forward(w.Config.codes().inputs(d, batch, d.Targets), false) })
	return states.Reshape(-1, int64(w.Config.Dim)).To(torch.Float)
}

// step decodes all positions up to the next words that must be chosen, and adds these words.
func (w *incrementalGenerator) step(unfinished []*draft, cache *nn.DecoderCache) {
	in := &stepInput{next: int32(cache.Used())}
	for _, b := range unfinished {
		in.add(b)
	}
	x := w.enc.inputsAt(in.tokens, in.positions, w.positions)
	states := cache.Forward(x, in.self, in.memory, in.open)
	n := len(unfinished)
	// The logits are enough to find the likeliest word.
	rows := w.words.Likeliest(states, slices.Repeat([]int64{corpus.EosID}, n), int64(n), w.Config.firstWord(), 1, false)
	for k, row := range rows {
		unfinished[k].choose(int64(row[1]), row[0], row[2])
	}
}

// stepInput holds the positions that a step decodes.
type stepInput struct {
	next              int32       // the cache slot for the next position that is added
	tokens, positions []int64     // the decoded tokens and their positions in the output
	self, memory      torch.Spans // the cache slots and the encoder states that each position attends to
	open              []int64     // for each draft, the index into tokens of its last token
}

// add adds the positions of a draft that are not decoded yet, up to the next word that must be
// chosen.
func (in *stepInput) add(w *draft) {
	start := int32(len(in.self.Slots))
	for position := len(w.path); position <= len(w.words); position++ {
		w.path = append(w.path, in.next)
		in.next++
		previous := int64(corpus.BosID)
		if position > 0 {
			previous = w.words[position-1]
		}
		in.tokens, in.positions = append(in.tokens, previous), append(in.positions, int64(position))
		in.self.Start, in.self.Length = append(in.self.Start, start), append(in.self.Length, int32(position+1))
		in.memory.Start, in.memory.Length = append(in.memory.Start, w.memory), append(in.memory.Length, w.width)
	}
	in.self.Slots = append(in.self.Slots, w.path...)
	in.open = append(in.open, int64(len(in.tokens)-1))
}

// draft is the output of one sentence while it is written.
type draft struct {
	maxWords int // maximum number of words
	// copied is nil if the model chooses all words. Otherwise, it holds the copied word of each
	// position, or openPosition where the model chooses. The output then has exactly maxWords
	// words.
	copied []int64
	words  []int64
	done   bool

	memory, width int32   // the source's encoder states are rows memory to memory+width-1
	path          []int32 // the cache slots of the decoded positions
}

// openPosition marks a position in draft.copied whose word must be chosen.
const openPosition = -1

func newDraft(words []int64, mask []bool, dec Decoding) *draft {
	if !dec.copies() {
		return &draft{maxWords: max(1, len(words)+dec.MaxExtra)}
	}
	w := &draft{maxWords: len(words), copied: slices.Clone(words)}
	for k, on := range mask {
		if on {
			w.copied[k] = openPosition
		}
	}
	return w
}

// copyWords adds the copied words up to the next word that must be chosen. It ends the output if
// there is no such word.
func (w *draft) copyWords() {
	for w.copied != nil && len(w.words) < w.maxWords && w.copied[len(w.words)] != openPosition {
		w.words = append(w.words, w.copied[len(w.words)])
	}
	w.done = len(w.words) == w.maxWords
}

// choose adds the likeliest word, or ends the output if <eos> may follow and is at least as likely.
func (w *draft) choose(word int64, likelihood, end float32) {
	if w.copied == nil && len(w.words) > 0 && end >= likelihood {
		w.done = true
		return
	}
	w.words = append(w.words, word)
	w.copyWords()
}
