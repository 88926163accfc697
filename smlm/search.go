package smlm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

const (
	// searchSlots bounds the positions whose keys and values a search keeps, in each layer: at 512
	// features 64 MiB.
	searchSlots = 16384
	// packFrom is how many hypotheses make it worth while to lay out the decoder's weights for the
	// search: that takes as long as what it saves in a search over some thirty sentences.
	packFrom = 32
	// packRows is the rows that weights are laid out for; oneDNN's order is the same from 16 rows
	// on.
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

// Transfer returns every sentence with the opposite style asked for, by beam search: at least one
// word, at most dec.MaxExtra more than the source has or, where words are copied, exactly as many;
// of the special tokens only <eos> can be chosen, which is not returned.
func (g *Generator) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := g.outputs(ctx, d, dec, func(i int, b *beam) { out[i] = b.best.words })
	return out, err
}

// outputs calls found with every sentence's search, which is done: with its output and, of beams,
// its log p, that of words which needed no model left out.
func (g *Generator) outputs(ctx context.Context, d corpus.Encoded, dec Decoding, found func(i int, done *beam)) error {
	beams := map[int]*beam{} // of the sentences that need the model
	for i := range d.IDs {
		b := newBeam(d.IDs[i], d.Masks[i], dec)
		if b.skip(); b.done() {
			found(i, b)
		} else {
			beams[i] = b
		}
	}
	if len(beams) == 0 {
		return ctx.Err()
	}
	return torch.NoGrad(func() error {
		w := g.writer(beams, dec)
		for _, group := range together(d, beams) {
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

// writer is a Generator made ready for searches.
type writer struct {
	*Generator
	dec       Decoding
	decoder   *nn.IncrementalDecoder
	words     *torch.Packed
	positions *torch.Tensor // [T, d], of as many positions as any beam may reach
}

// writer lays out what all searches of a Transfer need, in the innermost scope.
func (g *Generator) writer(beams map[int]*beam, dec Decoding) *writer {
	longest, hypotheses := 0, 0
	for _, b := range beams {
		longest, hypotheses = max(longest, b.limit), hypotheses+b.dec.Beam
	}
	how := dec.packing(hypotheses)
	d := int64(g.Config.Dim)
	return &writer{
		Generator: g, dec: dec, decoder: nn.NewIncrementalDecoder(g.layers, how),
		words:     torch.Pack(g.out.W, g.out.B, how),
		positions: g.enc.positions.Table(longest+1, int(d)).Reshape(-1, d),
	}
}

// slots is how many positions a beam's hypotheses may come to.
func (b *beam) slots() int { return b.dec.Beam * (b.limit + 1) }

// together puts sentences that are to be searched at once in groups, each of batches of equal
// length for the encoder. The decoder's hypotheses need not be of one length, so that groups may be
// large although few sentences have the same length.
func together(d corpus.Encoded, beams map[int]*beam) (groups [][][]int) {
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

// A Searcher writes several outputs of every sentence: those that a beam ends with.
type Searcher struct {
	*Generator
	Beam      int // 1 or more
	NoRepeats bool
	BF16      bool
}

// Search returns for every sentence, with the opposite style asked for and unmasked words copied,
// as many outputs as the beam is wide, the likeliest first, or as many as there are.
func (s Searcher) Search(ctx context.Context, d corpus.Encoded) ([][]guided.Found, error) {
	dec := Decoding{Decoding: recipe.Copied, Beam: s.Beam, NoRepeats: s.NoRepeats, BF16: s.BF16, each: true}
	out := make([][]guided.Found, len(d.IDs))
	err := s.outputs(ctx, d, dec, func(i int, b *beam) {
		for _, h := range b.ended {
			out[i] = append(out[i], guided.Found{IDs: h.words, Asked: h.each[:len(h.words)], LogQ: h.logp})
		}
	})
	return out, err
}

// searched is a sentence whose output is being written.
type searched struct {
	*beam
	memory, width int32     // which of the encoder's states are the source's: from memory on, so many
	paths         [][]int32 // for every hypothesis alive the slots of its positions that the decoder has been through
}

// search finds the outputs of a group of sentences. Each goes on at its own pace: a step takes it
// to the next word that is to be chosen, through all words before it that are certain. Sentences
// that are done take no part.
func (w *writer) search(ctx context.Context, d corpus.Encoded, group [][]int, beams map[int]*beam) error {
	var left []*searched
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
			left = append(left, &searched{beam: beams[i], memory: memory, width: width, paths: [][]int32{nil}})
			memory += width
			slots += beams[i].slots()
		}
	}
	cache := w.decoder.Cache(torch.Cat(0, states...), slots)
	for {
		left = slices.DeleteFunc(left, func(b *searched) bool { b.skip(); return b.done() })
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
func (w *writer) encode(d corpus.Encoded, batch []int) *torch.Tensor {
	var states *torch.Tensor
	torch.Autocast(w.dec.BF16, func() { states = w.enc.forward(w.Config.codes().inputs(d, batch, other), false) })
	return states.Reshape(-1, int64(w.Config.Dim)).To(torch.Float)
}

// at is the position of the next word.
func (b *beam) at() int { return len(b.alive[0].words) }

// skip goes through the words that need no model.
func (b *beam) skip() {
	for !b.done() && b.certain(b.at()) {
		id, _ := b.must(b.at())
		b.extend([][]token{{{id: id}}})
	}
}

// until returns the position from at on of the first word to be chosen, or that of the end.
func (b *beam) until() int {
	to := b.at()
	for to < b.limit {
		if _, only := b.must(to); !only {
			break
		}
		to++
	}
	return to
}

// step runs the decoder over all positions up to the next words to be chosen and extends the beams
// by what it says.
func (w *writer) step(left []*searched, cache *nn.DecoderCache) {
	in := &input{next: int32(cache.Used())}
	for _, b := range left {
		in.add(b)
	}
	x := w.enc.embed.Forward(ints(in.tokens)).Scale(math.Sqrt(float64(w.Config.Dim))).Add(w.positions.Rows(ints(in.at)))
	states := cache.Forward(x, in.self, in.memory, append(in.open, in.known...))
	k := min(w.dec.choices(), w.Config.Vocab-firstWord)
	// With one hypothesis log p decides nothing but which word is the likeliest, and that logits
	// say too.
	rows := w.words.Likeliest(states, in.want(), int64(len(in.open)), firstWord, int64(k), w.dec.Beam > 1 || w.dec.each)
	open, known := rows[:len(in.open)], rows[len(in.open):]
	for _, b := range left {
		open, known = b.read(open, known, k)
	}
}

// firstWord is the id of the first word that may be chosen.
const firstWord = corpus.NumSpecial

// input is the positions that a step feeds to the decoder, and what it wants to know of them.
type input struct {
	next         int32   // the slot of the next position
	tokens, at   []int64 // a position's token and where it stands
	self, memory torch.Spans
	open, known  []int64 // positions after which a word is chosen; those after which only one token may come
	follows      []int64 // what comes after the known ones
}

// add feeds what the decoder has not seen of a beam's hypotheses and of the words that must come
// next.
func (in *input) add(b *searched) {
	to, now := b.until(), b.at()
	for k, h := range b.alive {
		path := slices.Clip(b.paths[k])
		start := int32(len(in.self.Slots))
		for at := len(path); at <= to; at++ {
			path = append(path, in.next)
			in.next++
			in.tokens, in.at = append(in.tokens, b.before(h, at)), append(in.at, int64(at))
			in.self.Start, in.self.Length = append(in.self.Start, start), append(in.self.Length, int32(at+1))
			in.memory.Start, in.memory.Length = append(in.memory.Start, b.memory), append(in.memory.Length, b.width)
			row := int64(len(in.at) - 1)
			switch id, only := b.must(at); {
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

// before returns the decoder's input at a position, the token before it.
func (b *searched) before(h hypothesis, at int) int64 {
	switch {
	case at == 0:
		return corpus.BosID
	case at <= len(h.words):
		return h.words[at-1]
	}
	return b.fixed[at-1]
}

// want returns the tokens whose values are asked for: of open positions <eos>, of known ones what
// follows.
func (in *input) want() []int64 {
	return append(slices.Repeat([]int64{corpus.EosID}, len(in.open)), in.follows...)
}

// read extends the beam through the words that must come next and by the choice after them, given k
// candidates, and returns the rows that are the next beams'.
func (b *searched) read(open, known [][]float32, k int) (restOpen, restKnown [][]float32) {
	to, now, alive := b.until(), b.at(), len(b.alive)
	_, ends := b.must(to)
	forced := to - now // known positions of a hypothesis
	if ends {
		forced++
	}
	origin := make([]int, alive) // of each hypothesis the one of before that its rows are of
	for i := range origin {
		origin[i] = i
	}
	follow := func(next [][]token) {
		b.extend(next)
		paths, origins := make([][]int32, len(b.from)), make([]int, len(b.from))
		for i, from := range b.from {
			paths[i], origins[i] = b.paths[from], origin[from]
		}
		b.paths, origin = paths, origins
	}
	for j := range forced {
		id, _ := b.must(now + j)
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

// candidates returns the k likeliest words of a row and, where it may come, <eos>.
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
	logp  float64
	each  []float64 // log p of every token given those before it, where Decoding asks for it; 0 of certain ones
}

// token is a possible next one, with its log p given the words before it.
type token struct {
	id   int64
	logp float64
}

// beam is the search for one sentence's output. Every step keeps the dec.Beam likeliest of all
// one-token continuations of the hypotheses kept before; those of them that end the sentence leave
// the search, and of these the length rule takes one. With a beam of one this is greedy search.
type beam struct {
	dec   Decoding
	limit int     // words an output may have
	fixed []int64 // with copied words: the one that must stand at each position, or choose; exactly limit words then
	alive []hypothesis
	from  []int        // of every hypothesis alive the one that it continues, as numbered before the last extend
	best  *hypothesis  // of those that ended
	score float64      // of best
	ended []hypothesis // all of them, the likeliest first, where Decoding asks for log p of each word
}

// choose marks a position whose word is to be chosen.
const choose = -1

func newBeam(words []int64, mask []bool, dec Decoding) *beam {
	b := &beam{dec: dec, limit: max(1, len(words)+dec.MaxExtra), alive: []hypothesis{{}}}
	b.dec.Beam = max(1, dec.Beam)
	if dec.copies() {
		b.limit, b.fixed = len(words), slices.Clone(words)
		for k, on := range mask {
			if on {
				b.fixed[k] = choose
			}
		}
	}
	return b
}

// must returns the only token that may stand at position at, if there is only one: a copied word,
// or the end after the last word.
func (b *beam) must(at int) (id int64, only bool) {
	switch {
	case at == b.limit:
		return corpus.EosID, true
	case b.fixed != nil && b.fixed[at] != choose:
		return b.fixed[at], true
	}
	return 0, false
}

// mayEnd tells whether the sentence may end at position at although it need not.
func (b *beam) mayEnd(at int) bool { return at > 0 && b.fixed == nil }

// certain tells whether position at needs no model: the log p of a token that must follow the only
// hypothesis is the same for all that come of it, and so decides nothing.
func (b *beam) certain(at int) bool {
	_, only := b.must(at)
	return only && len(b.alive) == 1 && b.best == nil
}

// extend goes on to the next position with the tokens that may follow each hypothesis.
func (b *beam) extend(next [][]token) {
	var all []hypothesis
	var ends []bool
	var parents []int
	for k, h := range b.alive {
		_, only := b.must(len(h.words))
		for _, t := range b.fresh(h, next[k]) {
			next := hypothesis{words: append(slices.Clip(h.words), t.id), logp: h.logp + t.logp}
			if b.dec.each {
				next.each = append(slices.Clip(h.each), t.logp)
			}
			all = append(all, next)
			ends = append(ends, len(h.words) == b.limit || !only && t.id == corpus.EosID)
			parents = append(parents, k)
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[j].logp, all[i].logp) })
	b.alive, b.from = nil, nil
	for _, i := range order[:min(b.dec.Beam, len(order))] {
		if ends[i] {
			b.end(all[i])
		} else {
			b.alive, b.from = append(b.alive, all[i]), append(b.from, parents[i])
		}
	}
}

// fresh returns the tokens that repeat no word beside them: the one before, or a copied one that
// must come after; all of them where nothing else is left, or where Decoding does not ask for it.
func (b *beam) fresh(h hypothesis, next []token) []token {
	at := len(h.words)
	if _, only := b.must(at); only || !b.dec.NoRepeats {
		return next
	}
	repeats := func(t token) bool {
		return at > 0 && t.id == h.words[at-1] || b.fixed != nil && at+1 < b.limit && t.id == b.fixed[at+1]
	}
	if fresh := slices.DeleteFunc(slices.Clone(next), repeats); len(fresh) > 0 {
		return fresh
	}
	return next
}

// end takes a whole sentence, <eos> last.
func (b *beam) end(h hypothesis) {
	h.words = h.words[:len(h.words)-1]
	if b.dec.each {
		b.ended = append(b.ended, h)
	}
	if s := b.dec.score(h.logp, len(h.words)); b.best == nil || s > b.score {
		b.best, b.score = &h, s
	}
}

// done tells whether no hypothesis can come to a better score than best: log p only falls, so that
// none scores above what its log p now would at the length the rule favours, the shortest or the
// longest still possible.
func (b *beam) done() bool {
	if len(b.alive) == 0 {
		return true
	}
	h := b.alive[0] // the likeliest
	return b.best != nil && b.score >= max(b.dec.score(h.logp, len(h.words)), b.dec.score(h.logp, b.limit))
}
