package smlm

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// This file implements the beam search of SMLM-G. Sentences are searched in groups. Every sentence
// has its own beam, and the beams of a group may be at different positions. A step decodes each
// beam up to the next word that must be chosen, and extends the beam with the results.
// nn.DecoderCache keeps the keys and values of decoded positions, so no position is decoded twice.

const (
	// searchSlots is the maximum number of positions that a search caches in each layer. Their keys
	// and values take 64 MiB per layer if states have 512 numbers.
	searchSlots = 16384
	// packFrom is the minimum number of hypotheses for which the decoder's weights are packed
	// (torch.Packing). For fewer than about thirty, packing takes longer than it saves.
	packFrom = 32
	// packRows is the number of rows that weights are packed for. The real number of rows may
	// differ, because oneDNN uses the same layout for all numbers from 16 on.
	packRows = 256
)

// packing returns how to pack weights for a search over the given number of hypotheses.
func (dec Decoding) packing(hypotheses int) torch.Packing {
	packing := torch.Packing{BF16: dec.BF16}
	if hypotheses >= packFrom {
		packing.Rows = packRows
	}
	return packing
}

// Transfer rewrites every sentence into its target style d.Targets by beam search. An output has at
// least one word and at most dec.MaxExtra more words than its source. If dec copies words, the
// output has exactly as many words as its source. The only special token that can be chosen is
// <eos>, which is not returned.
func (g *Generator) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := g.outputs(ctx, d, dec, func(i int, b *beam) { out[i] = b.best.words })
	return out, err
}

// outputs runs the search for all sentences and calls report with each finished beam. The log p of
// a hypothesis leaves out words that were appended without the model (see needsNoModel).
func (g *Generator) outputs(ctx context.Context, d corpus.Encoded, dec Decoding, report func(i int, done *beam)) error {
	beams := map[int]*beam{} // by index of the sentence, for sentences that need the model
	for i := range d.IDs {
		b := newBeam(d.IDs[i], d.Masks[i], dec)
		if b.skipForced(); b.done() {
			report(i, b)
		} else {
			beams[i] = b
		}
	}
	if len(beams) == 0 {
		return ctx.Err()
	}
	return torch.NoGrad(func() error {
		w := g.incremental(beams, dec)
		for _, group := range groupSentences(d, beams) {
			if err := torch.Scoped(func() error { return w.search(ctx, d, group, beams) }); err != nil {
				return err
			}
			for _, i := range slices.Concat(group...) {
				report(i, beams[i])
				delete(beams, i) // frees the words of all hypotheses of the beam
			}
		}
		return nil
	})
}

// incrementalGenerator is a Generator prepared for a search that decodes no position twice.
type incrementalGenerator struct {
	*Generator
	dec       Decoding
	decoder   *nn.IncrementalDecoder
	words     *torch.Packed
	positions *torch.Tensor // the encodings of all positions that a beam may reach [T, d]
}

// incremental prepares the generator for a search with these beams. The new tensors are freed when
// the innermost open torch scope closes.
func (g *Generator) incremental(beams map[int]*beam, dec Decoding) *incrementalGenerator {
	longest, hypotheses := 0, 0
	for _, b := range beams {
		longest, hypotheses = max(longest, b.maxWords), hypotheses+b.dec.Beam
	}
	packing := dec.packing(hypotheses)
	d := int64(g.Config.Dim)
	return &incrementalGenerator{
		Generator: g, dec: dec, decoder: nn.NewIncrementalDecoder(g.layers, packing),
		words:     torch.Pack(g.out.W, g.out.B, packing),
		positions: g.enc.positions.Table(longest+1, int(d)).Reshape(-1, d),
	}
}

// slots returns the maximum number of positions that a beam may decode.
func (b *beam) slots() int { return b.dec.Beam * (b.maxWords + 1) }

// groupSentences splits the sentences into groups that are searched together. A group consists of
// batches. The sentences of a batch have equal length, because the encoder needs that. The decoder
// takes hypotheses of different lengths, so a group can be large even if few sentences have the
// same length.
func groupSentences(d corpus.Encoded, beams map[int]*beam) (groups [][][]int) {
	var group [][]int
	slots := 0
	for _, batch := range nn.Sorted(lengths(d), nn.EvalTokens) {
		batch = slices.DeleteFunc(batch, func(i int) bool { return beams[i] == nil })
		if len(batch) == 0 {
			continue
		}
		from := 0
		for k, i := range batch {
			n := beams[i].slots()
			if slots > 0 && slots+n > searchSlots {
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

// cachedBeam is a beam and the location of its data in the decoder's cache.
type cachedBeam struct {
	*beam
	memory, width int32     // the source's encoder states are rows memory to memory+width-1
	paths         [][]int32 // for each hypothesis in alive, the cache slots of its decoded positions
}

// search runs the beams of a group of sentences until all are done. In each step, an unfinished
// beam gets its next forced words (see beam.forced) and one word that the model chooses.
func (w *incrementalGenerator) search(ctx context.Context, d corpus.Encoded, group [][]int, beams map[int]*beam) error {
	var unfinished []*cachedBeam
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
			b := &cachedBeam{beam: beams[i], memory: memory, width: width, paths: [][]int32{nil}}
			unfinished = append(unfinished, b)
			memory += width
			slots += beams[i].slots()
		}
	}
	cache := w.decoder.Cache(torch.Cat(0, states...), slots)
	for {
		unfinished = slices.DeleteFunc(unfinished, func(b *cachedBeam) bool { b.skipForced(); return b.done() })
		if len(unfinished) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := torch.Scoped(func() error { w.step(unfinished, cache); return nil }); err != nil {
			return err
		}
	}
}

// encode returns the encoder's states [B*L, d] for a batch of sentences of equal length.
func (w *incrementalGenerator) encode(d corpus.Encoded, batch []int) *torch.Tensor {
	var states *torch.Tensor
	torch.Autocast(w.dec.BF16, func() { states = w.enc.forward(w.Config.codes().inputs(d, batch, d.Targets), false) })
	return states.Reshape(-1, int64(w.Config.Dim)).To(torch.Float)
}

// position returns the position of the next word, from 0.
func (b *beam) position() int { return len(b.alive[0].words) }

// skipForced appends forced tokens (see beam.forced) to the beam as long as they need no model (see
// needsNoModel).
func (b *beam) skipForced() {
	for !b.done() && b.needsNoModel(b.position()) {
		id, _ := b.forced(b.position())
		b.extend([][]token{{{id: id}}})
	}
}

// nextOpen returns the position of the next word that must be chosen, or maxWords if there is none.
func (b *beam) nextOpen() int {
	position := b.position()
	for position < b.maxWords {
		if _, isForced := b.forced(position); !isForced {
			break
		}
		position++
	}
	return position
}

// step decodes all positions up to the next words that must be chosen, and extends the beams with
// the results.
func (w *incrementalGenerator) step(unfinished []*cachedBeam, cache *nn.DecoderCache) {
	in := &stepInput{next: int32(cache.Used())}
	for _, b := range unfinished {
		in.add(b)
	}
	x := w.enc.inputsAt(in.tokens, in.positions, w.positions)
	states := cache.Forward(x, in.self, in.memory, append(in.open, in.known...))
	k := min(w.dec.choices(), w.Config.Vocab-int(w.Config.firstWord()))
	// With one hypothesis, only the likeliest word matters. The logits are enough to find it.
	logProbs := w.dec.Beam > 1
	rows := w.words.Likeliest(states, in.wantedTokens(), int64(len(in.open)), w.Config.firstWord(), int64(k), logProbs)
	open, known := rows[:len(in.open)], rows[len(in.open):]
	for _, b := range unfinished {
		open, known = b.read(open, known, k)
	}
}

// stepInput holds the positions that a step decodes, and the results that it needs.
type stepInput struct {
	next              int32       // the cache slot for the next position that is added
	tokens, positions []int64     // the decoded tokens and their positions in the output
	self, memory      torch.Spans // the cache slots and the encoder states that each position attends to
	open              []int64     // indices into tokens: a word must be chosen after these tokens
	known             []int64     // indices into tokens: a forced token follows these tokens
	follows           []int64     // the forced token that follows each token in known
}

// add adds the positions of a beam that are not decoded yet, up to the next word that must be
// chosen, for each hypothesis of the beam.
func (in *stepInput) add(b *cachedBeam) {
	end, first := b.nextOpen(), b.position()
	for k, h := range b.alive {
		path := slices.Clip(b.paths[k])
		start := int32(len(in.self.Slots))
		for position := len(path); position <= end; position++ {
			path = append(path, in.next)
			in.next++
			in.tokens = append(in.tokens, b.previousToken(h, position))
			in.positions = append(in.positions, int64(position))
			in.self.Start, in.self.Length = append(in.self.Start, start), append(in.self.Length, int32(position+1))
			in.memory.Start, in.memory.Length = append(in.memory.Start, b.memory), append(in.memory.Length, b.width)
			row := int64(len(in.positions) - 1)
			switch id, isForced := b.forced(position); {
			case position < first:
			case isForced:
				in.known, in.follows = append(in.known, row), append(in.follows, id)
			default:
				in.open = append(in.open, row)
			}
		}
		in.self.Slots = append(in.self.Slots, path...)
		b.paths[k] = path
	}
}

// previousToken returns the decoder's input at a position: the token before it, or <bos> at
// position 0.
func (b *cachedBeam) previousToken(h hypothesis, position int) int64 {
	switch {
	case position == 0:
		return corpus.BosID
	case position <= len(h.words):
		return h.words[position-1]
	}
	return b.copied[position-1]
}

// wantedTokens returns, for each row of the decoder's results, the token whose value the decoder
// must report: <eos> for each index in open, then the forced token for each index in known.
func (in *stepInput) wantedTokens() []int64 {
	return append(slices.Repeat([]int64{corpus.EosID}, len(in.open)), in.follows...)
}

// read appends the next forced words to the beam, and the word chosen after them. The arguments
// open and known hold the decoder's results for this beam and later ones, with k candidates per row
// of open. The results restOpen and restKnown are the rows of the later beams.
func (b *cachedBeam) read(open, known [][]float32, k int) (restOpen, restKnown [][]float32) {
	end, first, alive := b.nextOpen(), b.position(), len(b.alive)
	_, endsForced := b.forced(end)
	forced := end - first // rows of known per hypothesis
	if endsForced {
		forced++
	}
	origin := make([]int, alive) // for each hypothesis, the index of its ancestor at the start of the step
	for i := range origin {
		origin[i] = i
	}
	follow := func(next [][]token) {
		b.extend(next)
		paths, origins := make([][]int32, len(b.parents)), make([]int, len(b.parents))
		for i, parent := range b.parents {
			paths[i], origins[i] = b.paths[parent], origin[parent]
		}
		b.paths, origin = paths, origins
	}
	for j := range forced {
		id, _ := b.forced(first + j)
		next := make([][]token, len(b.alive))
		for i := range next {
			next[i] = []token{{id, float64(known[origin[i]*forced+j][2*k])}}
		}
		follow(next)
	}
	if endsForced {
		return open, known[alive*forced:]
	}
	next := make([][]token, len(b.alive))
	for i := range next {
		next[i] = candidates(open[origin[i]], k, b.mayEnd(end))
	}
	follow(next)
	return open[alive:], known[alive*forced:]
}

// candidates returns the k likeliest words of a row, and <eos> if the sentence may end.
func candidates(row []float32, k int, mayEnd bool) (next []token) {
	if mayEnd {
		next = append(next, token{corpus.EosID, float64(row[2*k])})
	}
	for i := range k {
		next = append(next, token{int64(row[k+i]), float64(row[i])})
	}
	return next
}

// hypothesis is the start of an output and its log p.
type hypothesis struct {
	words []int64
	logP  float64
}

// token is a possible next token, with its log p given the words before it.
type token struct {
	id   int64
	logP float64
}

// beam is the search for one sentence's output. Every step extends the hypotheses by one token and
// keeps the likeliest continuations, at most dec.Beam. Continuations that end the sentence leave
// the search, and the one with the highest lengthScore becomes the output. If dec.Beam is 1, the
// search is greedy.
type beam struct {
	dec      Decoding
	maxWords int // maximum number of words of an output
	// copied is nil if the model chooses all words. Otherwise, it holds the copied word of each
	// position, or openPosition where the model chooses. The output then has exactly maxWords
	// words.
	copied  []int64
	alive   []hypothesis // unfinished hypotheses, likeliest first
	parents []int        // alive[k] comes from the hypothesis that had the index parents[k] before the last extend
	best    *hypothesis  // the finished hypothesis with the highest score
	score   float64      // lengthScore of best
}

// openPosition marks a position in beam.copied whose word must be chosen.
const openPosition = -1

func newBeam(words []int64, mask []bool, dec Decoding) *beam {
	b := &beam{dec: dec, maxWords: max(1, len(words)+dec.MaxExtra), alive: []hypothesis{{}}}
	b.dec.Beam = max(1, dec.Beam)
	if dec.copies() {
		b.maxWords, b.copied = len(words), slices.Clone(words)
		for k, on := range mask {
			if on {
				b.copied[k] = openPosition
			}
		}
	}
	return b
}

// The method forced returns the token that a position must have: a copied word, or <eos> after the
// last word. isForced is false if the model chooses the token.
func (b *beam) forced(position int) (id int64, isForced bool) {
	switch {
	case position == b.maxWords:
		return corpus.EosID, true
	case b.copied != nil && b.copied[position] != openPosition:
		return b.copied[position], true
	}
	return 0, false
}

// mayEnd tells whether <eos> is a candidate at an open position.
func (b *beam) mayEnd(position int) bool { return position > 0 && b.copied == nil }

// needsNoModel tells whether the token at a position can be appended without the model. This is so
// for a forced token if there is only one hypothesis, because its log p then decides nothing: every
// output has this token.
func (b *beam) needsNoModel(position int) bool {
	_, isForced := b.forced(position)
	return isForced && len(b.alive) == 1 && b.best == nil
}

// extend advances the beam by one position, given the candidate tokens of each hypothesis.
func (b *beam) extend(next [][]token) {
	var continuations []hypothesis
	var finished []bool
	var parents []int
	for k, h := range b.alive {
		_, isForced := b.forced(len(h.words))
		for _, t := range b.withoutRepeats(h, next[k]) {
			words := append(slices.Clip(h.words), t.id)
			continuations = append(continuations, hypothesis{words: words, logP: h.logP + t.logP})
			finished = append(finished, len(h.words) == b.maxWords || !isForced && t.id == corpus.EosID)
			parents = append(parents, k)
		}
	}
	order := make([]int, len(continuations))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(continuations[j].logP, continuations[i].logP)
	})
	b.alive, b.parents = nil, nil
	for _, i := range order[:min(b.dec.Beam, len(order))] {
		if finished[i] {
			b.finish(continuations[i])
		} else {
			b.alive, b.parents = append(b.alive, continuations[i]), append(b.parents, parents[i])
		}
	}
}

// withoutRepeats drops tokens that repeat the previous word or the copied next word, if
// Decoding.NoRepeats is set. If this would drop all tokens, it returns them all.
func (b *beam) withoutRepeats(h hypothesis, next []token) []token {
	position := len(h.words)
	if _, isForced := b.forced(position); isForced || !b.dec.NoRepeats {
		return next
	}
	repeats := func(t token) bool {
		return position > 0 && t.id == h.words[position-1] ||
			b.copied != nil && position+1 < b.maxWords && t.id == b.copied[position+1]
	}
	if fresh := slices.DeleteFunc(slices.Clone(next), repeats); len(fresh) > 0 {
		return fresh
	}
	return next
}

// finish makes a hypothesis that ends with <eos> the best one if its score is the highest so far.
func (b *beam) finish(h hypothesis) {
	h.words = h.words[:len(h.words)-1]
	if s := lengthScore(h.logP, len(h.words)); b.best == nil || s > b.score {
		b.best, b.score = &h, s
	}
}

// done tells whether the search is over because no unfinished hypothesis can beat best. As words
// are added, log p only falls, and lengthScore favours long outputs. So the final score of a
// hypothesis cannot exceed the lengthScore of its present log p at the maximum length.
func (b *beam) done() bool {
	if len(b.alive) == 0 {
		return true
	}
	h := b.alive[0] // the likeliest
	return b.best != nil && b.score >= lengthScore(h.logP, b.maxWords)
}
