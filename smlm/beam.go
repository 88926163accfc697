package smlm

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Beam search of SMLM-G. Sentences are searched in groups, and each has a beam of its own, which
// goes on at its own pace: a step runs the decoder over all positions, of all beams, up to the next
// words that have to be chosen, and extends the beams by what it says. The decoder's keys and
// values of positions are kept (nn.DecoderCache), so that no position is decoded twice.

const (
	// searchSlots bounds the positions whose keys and values a search keeps in each layer: 64 MiB
	// of them where states have 512 numbers.
	searchSlots = 16384
	// packFrom is the number of hypotheses from which on it pays to lay out the decoder's weights
	// for the search: laying them out takes as long as it saves over some thirty sentences.
	packFrom = 32
	// packRows is the number of rows that weights are laid out for; from 16 on oneDNN lays them out
	// alike.
	packRows = 256
)

// packing says how to lay weights out for a search over so many hypotheses.
func (dec Decoding) packing(hypotheses int) torch.Packing {
	how := torch.Packing{BF16: dec.BF16}
	if hypotheses >= packFrom {
		how.Rows = packRows
	}
	return how
}

// Transfer returns every sentence in the style d.Asked, by beam search: at least one
// word, at most dec.MaxExtra more than the source has or, where words are copied, exactly as many;
// of the special tokens only <eos> can be chosen, which is not returned.
func (g *Generator) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := g.outputs(ctx, d, dec, func(i int, b *beam) { out[i] = b.best.words })
	return out, err
}

// outputs searches for the outputs of all sentences, and calls found with the finished beam of
// each. The log p of its hypotheses leaves out the words that needed no model.
func (g *Generator) outputs(ctx context.Context, d corpus.Encoded, dec Decoding, found func(i int, done *beam)) error {
	beams := map[int]*beam{} // by sentence, of those that need the model
	for i := range d.IDs {
		b := newBeam(d.IDs[i], d.Masks[i], dec)
		if b.skipForced(); b.done() {
			found(i, b)
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
				found(i, beams[i])
				delete(beams, i) // with the words of all its hypotheses
			}
		}
		return nil
	})
}

// incrementalGenerator is a Generator laid out to go on from the positions that it decoded before.
type incrementalGenerator struct {
	*Generator
	dec       Decoding
	decoder   *nn.IncrementalDecoder
	words     *torch.Packed
	positions *torch.Tensor // the encoding of as many positions as any beam may reach [T, d]
}

// incremental lays out what the searches of these beams need, in the innermost scope.
func (g *Generator) incremental(beams map[int]*beam, dec Decoding) *incrementalGenerator {
	longest, hypotheses := 0, 0
	for _, b := range beams {
		longest, hypotheses = max(longest, b.maxWords), hypotheses+b.dec.Beam
	}
	how := dec.packing(hypotheses)
	d := int64(g.Config.Dim)
	return &incrementalGenerator{
		Generator: g, dec: dec, decoder: nn.NewIncrementalDecoder(g.layers, how),
		words:     torch.Pack(g.out.W, g.out.B, how),
		positions: g.enc.positions.Table(longest+1, int(d)).Reshape(-1, d),
	}
}

// slots returns how many positions the decoder may be asked for by a beam.
func (b *beam) slots() int { return b.dec.Beam * (b.maxWords + 1) }

// groupSentences returns groups of sentences that are searched at once, each as batches of equal
// length for the encoder. Hypotheses in the decoder need not have one length, so that a group may
// be large although few sentences have the same length.
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

// cachedBeam is a beam, and where the decoder's cache has what belongs to it.
type cachedBeam struct {
	*beam
	memory, width int32     // the source's states among the encoder's: width of them, from memory on
	paths         [][]int32 // by hypothesis alive: the slots of the positions that were decoded
}

// search runs the beams of a group of sentences until all are done. A step takes each beam through
// the words that are forced to the next one that has to be chosen. Beams that are done take no
// part.
func (w *incrementalGenerator) search(ctx context.Context, d corpus.Encoded, group [][]int, beams map[int]*beam) error {
	var left []*cachedBeam // those that are not done
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
			left = append(left, &cachedBeam{beam: beams[i], memory: memory, width: width, paths: [][]int32{nil}})
			memory += width
			slots += beams[i].slots()
		}
	}
	cache := w.decoder.Cache(torch.Cat(0, states...), slots)
	for {
		left = slices.DeleteFunc(left, func(b *cachedBeam) bool { b.skipForced(); return b.done() })
		if len(left) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := torch.Scoped(func() error { w.step(left, cache); return nil }); err != nil {
			return err
		}
	}
}

// encode returns the encoder's states of a batch of sentences of equal length, [B*L, d].
func (w *incrementalGenerator) encode(d corpus.Encoded, batch []int) *torch.Tensor {
	var states *torch.Tensor
	torch.Autocast(w.dec.BF16, func() { states = w.enc.forward(w.Config.codes().inputs(d, batch, d.Asked), false) })
	return states.Reshape(-1, int64(w.Config.Dim)).To(torch.Float)
}

// position returns the position of the next word, from 0.
func (b *beam) position() int { return len(b.alive[0].words) }

// skipForced goes on through the words that need no model.
func (b *beam) skipForced() {
	for !b.done() && b.needsNoModel(b.position()) {
		id, _ := b.forced(b.position())
		b.extend([][]token{{{id: id}}})
	}
}

// nextOpen returns the position of the first word that has to be chosen, or that of the end.
func (b *beam) nextOpen() int {
	to := b.position()
	for to < b.maxWords {
		if _, only := b.forced(to); !only {
			break
		}
		to++
	}
	return to
}

// step runs the decoder over all positions up to the next words that have to be chosen, and extends
// the beams by what it says.
func (w *incrementalGenerator) step(left []*cachedBeam, cache *nn.DecoderCache) {
	in := &stepInput{next: int32(cache.Used())}
	for _, b := range left {
		in.add(b)
	}
	x := w.enc.at(in.tokens, in.at, w.positions)
	states := cache.Forward(x, in.self, in.memory, append(in.open, in.known...))
	k := min(w.dec.choices(), w.Config.Vocab-int(w.Config.firstWord()))
	// With one hypothesis all that counts is which word is the likeliest, and logits say that too.
	several := w.dec.Beam > 1
	rows := w.words.Likeliest(states, in.wantedTokens(), int64(len(in.open)), w.Config.firstWord(), int64(k), several)
	open, known := rows[:len(in.open)], rows[len(in.open):]
	for _, b := range left {
		open, known = b.read(open, known, k)
	}
}

// stepInput is the positions that a step gives to the decoder, and what it wants to know of them.
type stepInput struct {
	next         int32       // the slot of the next position
	tokens, at   []int64     // of each position its token, and its place in the sentence
	self, memory torch.Spans // of each position what it attends to: slots, and states of the encoder
	open         []int64     // the positions behind which a word has to be chosen
	known        []int64     // the positions behind which a forced token follows
	follows      []int64     // these tokens
}

// add adds the positions of a beam's hypotheses that were not decoded yet, and those of the forced
// words that come next.
func (in *stepInput) add(b *cachedBeam) {
	to, now := b.nextOpen(), b.position()
	for k, h := range b.alive {
		path := slices.Clip(b.paths[k])
		start := int32(len(in.self.Slots))
		for at := len(path); at <= to; at++ {
			path = append(path, in.next)
			in.next++
			in.tokens, in.at = append(in.tokens, b.previousToken(h, at)), append(in.at, int64(at))
			in.self.Start, in.self.Length = append(in.self.Start, start), append(in.self.Length, int32(at+1))
			in.memory.Start, in.memory.Length = append(in.memory.Start, b.memory), append(in.memory.Length, b.width)
			row := int64(len(in.at) - 1)
			switch id, only := b.forced(at); {
			case at < now:
			case only:
				in.known, in.follows = append(in.known, row), append(in.follows, id)
			default:
				in.open = append(in.open, row)
			}
		}
		in.self.Slots = append(in.self.Slots, path...)
		b.paths[k] = path
	}
}

// previousToken returns the token before a position, which is the decoder's input there.
func (b *cachedBeam) previousToken(h hypothesis, at int) int64 {
	switch {
	case at == 0:
		return corpus.BosID
	case at <= len(h.words):
		return h.words[at-1]
	}
	return b.copied[at-1]
}

// wantedTokens returns the token of each position whose value is asked for: <eos> behind open ones,
// behind known ones the token that follows.
func (in *stepInput) wantedTokens() []int64 {
	return append(slices.Repeat([]int64{corpus.EosID}, len(in.open)), in.follows...)
}

// read extends the beam by the forced words that come next and by the choice after them, given what
// the decoder says of open and known positions, k candidates each. It returns the rows that belong
// to the beams behind this one.
func (b *cachedBeam) read(open, known [][]float32, k int) (restOpen, restKnown [][]float32) {
	to, now, alive := b.nextOpen(), b.position(), len(b.alive)
	_, ends := b.forced(to)
	forced := to - now // known positions of each hypothesis
	if ends {
		forced++
	}
	origin := make([]int, alive) // of each hypothesis the one that it was when the rows were made
	for i := range origin {
		origin[i] = i
	}
	follow := func(next [][]token) {
		b.extend(next)
		paths, origins := make([][]int32, len(b.parents)), make([]int, len(b.parents))
		for i, from := range b.parents {
			paths[i], origins[i] = b.paths[from], origin[from]
		}
		b.paths, origin = paths, origins
	}
	for j := range forced {
		id, _ := b.forced(now + j)
		next := make([][]token, len(b.alive))
		for i := range next {
			next[i] = []token{{id, float64(known[origin[i]*forced+j][2*k])}}
		}
		follow(next)
	}
	if ends {
		return open, known[alive*forced:]
	}
	next := make([][]token, len(b.alive))
	for i := range next {
		next[i] = candidates(open[origin[i]], k, b.mayEnd(to))
	}
	follow(next)
	return open[alive:], known[alive*forced:]
}

// candidates returns the k likeliest words of a row and, where the sentence may end, <eos>.
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

// token is a possible next one, with its log p given the words before it.
type token struct {
	id   int64
	logP float64
}

// beam is the search for one sentence's output. Every step keeps the dec.Beam likeliest of all
// one-token continuations of the hypotheses that were kept before. Those of them that end the
// sentence leave the search, and the length rule (lengthScore) takes one of these. With
// a beam of one this is greedy search.
type beam struct {
	dec      Decoding
	maxWords int // the most words that an output may have
	// copied is, where words are copied, the word that must stand at each position, or
	// openPosition; the output then has exactly maxWords words. It is nil where the model chooses
	// all words.
	copied  []int64
	alive   []hypothesis // that have not ended, the likeliest first
	parents []int        // of each hypothesis alive the one that it continues, as numbered before the last extend
	best    *hypothesis  // of those that ended, by the length rule
	score   float64      // of best
}

// openPosition stands in beam.copied at a position whose word has to be chosen.
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

// forced returns the token that must stand at a position, if there is one: a copied word, or the
// end behind the last word.
func (b *beam) forced(at int) (id int64, only bool) {
	switch {
	case at == b.maxWords:
		return corpus.EosID, true
	case b.copied != nil && b.copied[at] != openPosition:
		return b.copied[at], true
	}
	return 0, false
}

// mayEnd tells whether the sentence may end at a position although it need not.
func (b *beam) mayEnd(at int) bool { return at > 0 && b.copied == nil }

// needsNoModel tells whether the model need not be asked at a position: a token that must follow
// the only hypothesis is part of all that come of it, so that its log p decides nothing.
func (b *beam) needsNoModel(at int) bool {
	_, only := b.forced(at)
	return only && len(b.alive) == 1 && b.best == nil
}

// extend goes on by one position, given the tokens that may follow each hypothesis.
func (b *beam) extend(next [][]token) {
	var all []hypothesis
	var ends []bool
	var parents []int
	for k, h := range b.alive {
		_, only := b.forced(len(h.words))
		for _, t := range b.withoutRepeats(h, next[k]) {
			all = append(all, hypothesis{words: append(slices.Clip(h.words), t.id), logP: h.logP + t.logP})
			ends = append(ends, len(h.words) == b.maxWords || !only && t.id == corpus.EosID)
			parents = append(parents, k)
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[j].logP, all[i].logP) })
	b.alive, b.parents = nil, nil
	for _, i := range order[:min(b.dec.Beam, len(order))] {
		if ends[i] {
			b.finish(all[i])
		} else {
			b.alive, b.parents = append(b.alive, all[i]), append(b.parents, parents[i])
		}
	}
}

// withoutRepeats returns, with Decoding.NoRepeats, the tokens that are equal neither to the word
// before nor to a copied word that comes next. It returns all of them where that leaves none.
func (b *beam) withoutRepeats(h hypothesis, next []token) []token {
	at := len(h.words)
	if _, only := b.forced(at); only || !b.dec.NoRepeats {
		return next
	}
	repeats := func(t token) bool {
		return at > 0 && t.id == h.words[at-1] || b.copied != nil && at+1 < b.maxWords && t.id == b.copied[at+1]
	}
	if fresh := slices.DeleteFunc(slices.Clone(next), repeats); len(fresh) > 0 {
		return fresh
	}
	return next
}

// finish takes a hypothesis out of the search that ends with <eos>.
func (b *beam) finish(h hypothesis) {
	h.words = h.words[:len(h.words)-1]
	if s := lengthScore(h.logP, len(h.words)); b.best == nil || s > b.score {
		b.best, b.score = &h, s
	}
}

// done tells whether no hypothesis can come to a better score than best. As log p only falls, no
// hypothesis can score above what its present log p would score at the greatest length, which the
// rule favours.
func (b *beam) done() bool {
	if len(b.alive) == 0 {
		return true
	}
	h := b.alive[0] // the likeliest
	return b.best != nil && b.score >= lengthScore(h.logP, b.maxWords)
}
