package smlm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// following returns log p of every token as the next token of the output of sentence i, which
// begins with the given words.
func following(g *Generator, d corpus.Encoded, i int, words []int64) (logp []float32) {
	must(torch.NoGrad(func() error {
		memory := g.enc.forward(g.Config.codes().inputs(d, []int{i}, d.Targets), false)
		in := append([]int64{corpus.BosID}, words...)
		states := g.decode(torch.FromInts(in, 1, int64(len(in))), memory, false)
		logp = logSoftmax(g.out.Forward(states.Narrow(1, int64(len(words)), 1)).Floats())
		return nil
	}))
	return logp
}

// logSoftmax returns log softmax of one row of logits.
func logSoftmax(logits []float32) []float32 {
	top, sum := float64(slices.Max(logits)), 0.0
	for _, x := range logits {
		sum += math.Exp(float64(x) - top)
	}
	logp := make([]float32, len(logits))
	for i, x := range logits {
		logp[i] = float32(float64(x) - top - math.Log(sum))
	}
	return logp
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The function allowed reports whether Transfer may choose a token after the given words.
func allowed(d corpus.Encoded, i int, dec Decoding, words []int64, id int64) bool {
	at, limit := len(words), len(d.IDs[i])+dec.MaxExtra
	if dec.copies() {
		limit = len(d.IDs[i])
	}
	switch {
	case at == limit:
		return id == corpus.EosID
	case dec.copies() && !d.Masks[i][at]:
		return id == d.IDs[i][at]
	case id == corpus.EosID:
		return at > 0 && !dec.copies()
	case dec.NoRepeats && at > 0 && id == words[at-1]:
		return false
	case dec.NoRepeats && dec.copies() && at+1 < limit && !d.Masks[i][at+1] && id == d.IDs[i][at+1]:
		return false
	}
	return id >= corpus.NumSpecial
}

// lengthRule is equation 14 of Wu et al. 2016 without its coverage term.
func lengthRule(logp float64, words int) float64 {
	return logp * math.Pow(6, .6) / math.Pow(float64(5+words), .6)
}

// naive is a direct implementation of beam search for one sentence, without batches, bounds or
// shortcuts. It also returns a margin: if the margin is small, rounding could change the output.
// The margin is the smallest of two kinds of differences. One is the difference in log p, at each
// step, between the last continuation that is kept and the first that is dropped. The other is the
// difference in score between the two best sentences.
func naive(g *Generator, d corpus.Encoded, i int, dec Decoding) (best []int64, margin float64) {
	alive, top := []hypothesis{{}}, math.Inf(-1)
	margin = math.Inf(1)
	var scores []float64
	for at := 0; len(alive) > 0; at++ {
		var all []hypothesis
		for _, h := range alive {
			for id, logp := range following(g, d, i, h.words) {
				if allowed(d, i, dec, h.words, int64(id)) {
					words := append(slices.Clip(h.words), int64(id))
					all = append(all, hypothesis{words: words, logP: h.logP + float64(logp)})
				}
			}
		}
		slices.SortFunc(all, func(a, b hypothesis) int { return cmp.Compare(b.logP, a.logP) })
		alive = nil
		kept := min(len(all), max(1, dec.Beam))
		if kept < len(all) {
			margin = min(margin, all[kept-1].logP-all[kept].logP)
		}
		for _, h := range all[:kept] {
			if h.words[at] != corpus.EosID {
				alive = append(alive, h)
				continue
			}
			s := lengthRule(h.logP, at)
			if scores = append(scores, s); s > top {
				best, top = h.words[:at], s
			}
		}
	}
	slices.Sort(scores)
	if n := len(scores); n > 1 {
		margin = min(margin, scores[n-1]-scores[n-2])
	}
	return best, margin
}

// logpOff bounds the rounding error in the log p of a sentence, which depends on the batch and on
// the order of additions. The computation has three layers with ten sums of up to 20 terms each, a
// softmax over 40 words and a sum over ten words. 50 bounds the magnitude of the values.
var logpOff = 50 * testkit.RoundingBound(append(testkit.Chain(30, 20), 40, 10)...)

// The function tied reports whether the search result for sentence i depends on rounding, so that
// another batch may give another output.
func tied(g *Generator, d corpus.Encoded, i int, dec Decoding) bool {
	_, margin := naive(g, d, i, dec)
	return margin <= logpOff
}

// TestBeamIsNaive checks that the batched search, including greedy search, gives the same outputs
// as the function naive.
func TestBeamIsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		dec := searches(t)
		dec.Decoding = rapid.SampledFrom([]recipe.Decoding{recipe.Copied, recipe.Predicted}).Draw(t, "decoding")
		i := rapid.IntRange(0, len(d.IDs)-1).Draw(t, "sentence")
		err := torch.Run(func() error {
			g := freshGenerator()
			defer g.Params.Free()
			out, err := g.Transfer(context.Background(), d, dec)
			if err != nil {
				return err
			}
			if want, margin := naive(g, d, i, dec); !slices.Equal(out[i], want) && margin > logpOff {
				t.Errorf("%v became %v, want %v, by %.2g at least", d.IDs[i], out[i], want, margin)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestGreedyIsArgmax checks that a beam of width 1 or 0 takes the most likely token at each step
// until <eos> or the length limit.
func TestGreedyIsArgmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		extra, width := rapid.IntRange(0, 3).Draw(t, "extra"), rapid.IntRange(0, 1).Draw(t, "beam")
		i := rapid.IntRange(0, len(d.IDs)-1).Draw(t, "sentence")
		err := torch.Run(func() error {
			g := freshGenerator()
			defer g.Params.Free()
			dec := Decoding{MaxExtra: extra, Beam: width}
			var want []int64
			for len(want) < len(d.IDs[i])+extra {
				best := int64(-1)
				logp := following(g, d, i, want)
				for id := range logp {
					if allowed(d, i, dec, want, int64(id)) && (best < 0 || logp[id] > logp[best]) {
						best = int64(id)
					}
				}
				if best == corpus.EosID {
					break
				}
				want = append(want, best)
			}
			out, err := g.Transfer(context.Background(), d, dec)
			if err == nil && !slices.Equal(out[i], want) && !tied(g, d, i, dec) {
				t.Errorf("%v became %v, want %v", d.IDs[i], out[i], want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// The function all returns every possible output that begins with the words of h, with the log p of
// each.
func all(g *Generator, d corpus.Encoded, i int, dec Decoding, h hypothesis) (out []hypothesis) {
	for id, logp := range following(g, d, i, h.words) {
		if !allowed(d, i, dec, h.words, int64(id)) {
			continue
		}
		p := h.logP + float64(logp)
		if id == corpus.EosID {
			out = append(out, hypothesis{words: h.words, logP: p})
		} else {
			out = append(out, all(g, d, i, dec, hypothesis{words: append(slices.Clip(h.words), int64(id)), logP: p})...)
		}
	}
	return out
}

// TestWideBeamIsExhaustive checks that a beam that keeps every hypothesis finds the output with the
// best score, which is not always the most likely output. There are three words, and outputs have
// at most three.
func TestWideBeamIsExhaustive(t *testing.T) {
	c := tiny
	c.Vocab = corpus.NumSpecial + 3
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10}, {11}, {10, corpus.UnkID}, {9}}, Styles: []int{0, 1, 1, 0}, Targets: []int{1, 0, 0, 1},
		Masks: [][]bool{{true, true}, {false}, {false, true}, {true}},
	}
	unlikelier := false
	for seed := range uint64(10) {
		parity.OnTorch(t, func() error {
			torch.Seed(seed)
			g := NewGenerator(decoding(c, 1))
			defer g.Params.Free()
			widen(g.Params)
			for i := range d.IDs {
				for _, decoding := range []recipe.Decoding{recipe.Predicted, recipe.Copied} {
					dec := Decoding{Decoding: decoding, MaxExtra: 3 - len(d.IDs[i]), Beam: 100, NoRepeats: seed%2 == 1}
					sentences := all(g, d, i, dec, hypothesis{})
					possible := 3 + 9 + 27
					if dec.NoRepeats {
						possible = 3 + 3*2 + 3*2*2
					}
					if n := len(sentences); !dec.copies() && n != possible {
						t.Errorf("there are %d sentences", n)
					}
					best := slices.MaxFunc(sentences, func(a, b hypothesis) int {
						return cmp.Compare(lengthRule(a.logP, len(a.words)), lengthRule(b.logP, len(b.words)))
					})
					one := d.Pick([]int{i})
					out, err := g.Transfer(context.Background(), one, dec)
					if err != nil {
						return err
					}
					if !slices.Equal(out[0], best.words) && !tied(g, one, 0, dec) {
						t.Errorf("seed %d, %v, %+v: %v, want %v", seed, d.IDs[i], dec, out[0], best.words)
					}
					unlikelier = unlikelier || slices.ContainsFunc(sentences, func(h hypothesis) bool {
						return h.logP > best.logP
					})
				}
			}
			return nil
		})
	}
	if !unlikelier {
		t.Error("the length rule never took another than the likeliest sentence")
	}
}

// TestBeamStopsInTime checks that the search does not stop too early: when it stops, no
// continuation of a hypothesis can have a better score than the best sentence.
func TestBeamStopsInTime(t *testing.T) {
	stopped := 0
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		h := hypothesis{
			words: make([]int64, rapid.IntRange(1, limit).Draw(t, "words")),
			logP:  -rapid.Float64Range(0, 20).Draw(t, "-log p"),
		}
		found := hypothesis{
			words: make([]int64, rapid.IntRange(1, len(h.words)).Draw(t, "words of best")),
			logP:  -rapid.Float64Range(0, 20).Draw(t, "-log p of best"),
		}
		b := &beam{
			maxWords: limit, alive: []hypothesis{h}, best: &found, score: lengthRule(found.logP, len(found.words)),
		}
		if !b.done() {
			return
		}
		stopped++
		for n := len(h.words); n <= limit; n++ {
			if s := lengthRule(h.logP, n); s > b.score+1e-9 {
				t.Errorf("best scores %v, the hypothesis would have scored %v at %d words", b.score, s, n)
			}
		}
	})
	if stopped == 0 {
		t.Error("no search was done")
	}
}

// found runs the search and returns the outputs with their log p.
func found(g *Generator, d corpus.Encoded, dec Decoding) []hypothesis {
	out := make([]hypothesis, len(d.IDs))
	must(g.outputs(context.Background(), d, dec, func(i int, b *beam) { out[i] = *b.best }))
	return out
}

// sameSearch compares the cached search with the uncached one. If the search keeps several
// hypotheses, sameSearch compares log p too. A search with one hypothesis does not compute log p.
// If the argument "some" is not empty, only sentences with these indices are compared.
func sameSearch(t interface{ Errorf(string, ...any) }, g *Generator, d corpus.Encoded, dec Decoding, some ...int) {
	got := found(g, d, dec)
	if len(some) > 0 {
		all := got
		got = nil
		for _, i := range some {
			got = append(got, all[i])
		}
		d = d.Pick(some)
	}
	for i, want := range uncached(g, d, dec) {
		if !slices.Equal(got[i].words, want.words) {
			if !tied(g, d, i, dec) {
				t.Errorf("%+v: %v became %v, want %v", dec, d.IDs[i], got[i].words, want.words)
			}
			continue
		}
		if dec.Beam > 1 && math.Abs(got[i].logP-want.logP) > logpOff {
			t.Errorf("%+v: %v has log p %v, want %v", dec, d.IDs[i], got[i].logP, want.logP)
		}
	}
}

// deep is a shape with several layers and a head width that is not a power of two. The other tests
// have smaller models.
var deep = decoding(asPrinted(Config{Vocab: 40, SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 3, Dim: 18, FF: 20}}), 3)

// deepGenerator returns a generator with weights 1.5 times as large as fresh ones, so that
// different sentences get different outputs. Larger weights would saturate the three layers, and
// the rounding would exceed logpOff.
func deepGenerator(seed uint64) *Generator {
	torch.Seed(seed)
	g := NewGenerator(deep)
	for _, w := range g.Params.All() {
		w.Set(w.Detach().Scale(1.5))
	}
	lead := make([]float32, deep.Vocab)
	lead[corpus.EosID] = 2
	g.out.B.Set(torch.FromFloats(lead, int64(deep.Vocab)))
	return g
}

// TestCacheIsNoCache checks that the cached search gives the same outputs as the uncached one. It
// tries every kind of search, and sentences of different lengths in one call.
func TestCacheIsNoCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		dec := searches(t)
		dec.Decoding = rapid.SampledFrom([]recipe.Decoding{recipe.Copied, recipe.Predicted}).Draw(t, "decoding")
		seed := rapid.Uint64Range(0, 20).Draw(t, "seed")
		err := torch.Run(func() error {
			g := deepGenerator(seed)
			defer g.Params.Free()
			sameSearch(t, g, d, dec)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// The function many makes n sentences of 1 to 6 words each.
func many(n int) corpus.Encoded {
	var d corpus.Encoded
	for i := range n {
		ids, mask := make([]int64, 1+i%6), make([]bool, 1+i%6)
		for k := range ids {
			ids[k], mask[k] = corpus.NumSpecial+int64(i*7+k*k)%17, (i/3+k)%2 == 0
		}
		d.IDs, d.Masks, d.Styles = append(d.IDs, ids), append(d.Masks, mask), append(d.Styles, i/2%2)
	}
	d.Targets = others(d.Styles)
	return d
}

// TestSearchInGroups searches more sentences than fit into one cache. No sentence may be searched
// twice or left out, and no group may need more than searchSlots slots.
func TestSearchInGroups(t *testing.T) {
	d := many(1300)
	for _, dec := range []Decoding{
		{MaxExtra: 30}, {MaxExtra: 4, Beam: 4}, {Decoding: recipe.Copied, Beam: 12},
	} {
		beams := map[int]*beam{}
		for i := range d.IDs {
			if i%5 != 0 { // the other sentences need no search
				beams[i] = newBeam(d.IDs[i], d.Masks[i], dec)
			}
		}
		groups := groupSentences(d, beams)
		seen := map[int]bool{}
		for _, group := range groups {
			slots := 0
			for _, batch := range group {
				for _, i := range batch {
					if seen[i] || beams[i] == nil || len(d.IDs[i]) != len(d.IDs[batch[0]]) {
						t.Errorf("%+v: sentence %d is out of place", dec, i)
					}
					seen[i] = true
					slots += beams[i].slots()
				}
			}
			if slots > searchSlots {
				t.Errorf("%+v: a group of %d slots", dec, slots)
			}
		}
		if len(seen) != len(beams) || len(groups) < 2 {
			t.Errorf("%+v: %d of %d sentences in %d groups", dec, len(seen), len(beams), len(groups))
		}
		parity.OnTorch(t, func() error {
			g := deepGenerator(3)
			defer g.Params.Free()
			var some []int
			for i := 0; i < len(d.IDs); i += 23 {
				some = append(some, i)
			}
			sameSearch(t, g, d, dec, some...)
			return nil
		})
	}
	// A sentence that alone needs more than searchSlots slots is a group of its own.
	one := d.Pick([]int{5, 5, 5})
	dec := Decoding{MaxExtra: searchSlots}
	beams := map[int]*beam{}
	for i := range one.IDs {
		beams[i] = newBeam(one.IDs[i], one.Masks[i], dec)
	}
	if groups := groupSentences(one, beams); len(groups) != 3 {
		t.Errorf("three large searches in %d groups", len(groups))
	}
}

// TestSearchLeavesNothing checks that no tensor outlives a search, even if it is cancelled.
func TestSearchLeavesNothing(t *testing.T) {
	parity.OnTorch(t, func() error {
		g := freshGenerator()
		defer g.Params.Free()
		d := many(60)
		before := torch.LiveHandles()
		for _, dec := range []Decoding{
			{MaxExtra: 3}, {MaxExtra: 3, Beam: 3}, {Decoding: recipe.Copied, Beam: 2}, {BF16: torch.WhyNoBF16() == ""},
		} {
			if _, err := g.Transfer(context.Background(), d, dec); err != nil {
				return err
			}
			if n := torch.LiveHandles(); n != before {
				t.Errorf("%+v: %d tensors live after a search, %d before", dec, n, before)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := g.Transfer(ctx, d, Decoding{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled search says %v", err)
		}
		if n := torch.LiveHandles(); n != before {
			t.Errorf("%d tensors live after a cancelled search, %d before", n, before)
		}
		return nil
	})
}

// TestBF16IsHonoured checks that logits are rounded to bfloat16. This format has 8 significant
// bits, so numbers near 1000 are 4 apart. The logits 1000 and 1001 become equal, and the first of
// the two words is chosen.
func TestBF16IsHonoured(t *testing.T) {
	if why := torch.WhyNoBF16(); why != "" {
		t.Skip(why)
	}
	d := many(40) // so many that the weights are packed
	parity.OnTorch(t, func() error {
		m, g := fresh(), freshGenerator()
		defer m.Params.Free()
		defer g.Params.Free()
		bias := make([]float32, tiny.Vocab)
		bias[20], bias[21] = 1000, 1001
		for _, out := range []interface{ Set(*torch.Tensor) }{m.out.B, g.out.B} {
			out.Set(torch.FromFloats(bias, int64(tiny.Vocab)))
		}
		m.out.W.Set(torch.Zeros(m.out.W.Shape()...))
		g.out.W.Set(torch.Zeros(g.out.W.Shape()...))
		all := []Decoding{{}, {Decoding: recipe.Copied}, {Beam: 2}}
		if torch.OnCUDA() {
			all = all[:2] // CUDA's topk does not define which of two equal values comes first
		}
		for _, dec := range all {
			for _, few := range []bool{false, true} {
				part := d
				if few {
					part = d.Pick([]int{4, 5})
				}
				for _, dec.BF16 = range []bool{false, true} {
					want := int64(21)
					if dec.BF16 {
						want = 20
					}
					for name, transfer := range map[string]func(
						context.Context, corpus.Encoded, Decoding,
					) ([][]int64, error){"SMLM": m.Transfer, "SMLM-G": g.Transfer} {
						out, err := transfer(context.Background(), part, dec)
						if err != nil {
							return err
						}
						for i, words := range out {
							for k, id := range words {
								if (part.Masks[i][k] || !dec.copies()) && id != want {
									t.Errorf("%s, %+v: word %d is %d, want %d", name, dec, k, id, want)
								}
							}
						}
					}
				}
			}
		}
		return nil
	})
}

// The function uncached is the search without a cache. At every position, the decoder processes all
// words of all hypotheses again. Even in greedy search, log p is computed for the whole vocabulary.
func uncached(g *Generator, d corpus.Encoded, dec Decoding) []hypothesis {
	out := make([]hypothesis, len(d.IDs))
	for _, batch := range nn.Sorted(lengths(d), nn.EvalTokens) {
		must(torch.NoGrad(func() error {
			memory := g.enc.forward(g.Config.codes().inputs(d, batch, d.Targets), false)
			beams := make([]*beam, len(batch))
			for k, i := range batch {
				beams[k] = newBeam(d.IDs[i], d.Masks[i], dec)
			}
			for at := 0; slices.ContainsFunc(beams, func(b *beam) bool { return !b.done() }); at++ {
				for k, b := range beams {
					switch {
					case b.done():
					case b.needsNoModel(at):
						id, _ := b.forced(at)
						b.extend([][]token{{{id: id}}})
					default:
						b.extend(continuations(g, b, at, memory.Narrow(0, int64(k), 1)))
					}
				}
			}
			for k, i := range batch {
				out[i] = *beams[k].best
			}
			return nil
		}))
	}
	return out
}

// continuations returns the tokens that may follow each hypothesis of a beam. memory holds the
// encoder states [1, L, d].
func continuations(g *Generator, b *beam, at int, memory *torch.Tensor) [][]token {
	n := int64(len(b.alive))
	var flat []int64
	for _, h := range b.alive {
		flat = append(append(flat, corpus.BosID), h.words...)
	}
	l, d := memory.Size(1), memory.Size(2)
	states := g.decode(torch.FromInts(flat, n, int64(at+1)), memory.Expand(n, l, d), false)
	logits := g.out.Forward(states.Narrow(1, int64(at), 1))
	vocab := int(logits.Size(-1))
	rows, next := logits.Floats(), make([][]token, n)
	for k := range next {
		row := logSoftmax(rows[k*vocab : (k+1)*vocab])
		if id, only := b.forced(at); only {
			next[k] = []token{{id, float64(row[id])}}
			continue
		}
		if b.mayEnd(at) {
			next[k] = append(next[k], token{corpus.EosID, float64(row[corpus.EosID])})
		}
		for id := corpus.NumSpecial; id < vocab; id++ {
			next[k] = append(next[k], token{int64(id), float64(row[id])})
		}
	}
	return next
}
