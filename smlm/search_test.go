package smlm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// found returns the outputs of the search with their log p.
func found(g *Generator, d corpus.Encoded, dec Decoding) []hypothesis {
	out := make([]hypothesis, len(d.IDs))
	must(g.outputs(context.Background(), d, dec, func(i int, b *beam) { out[i] = *b.best }))
	return out
}

// sameSearch compares the cached search with the uncached one, log p too where there are several
// hypotheses: of one it decides nothing and is not known. Of many sentences some may be named that
// are to be compared.
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

// deep has what the small models of other tests have one of: several layers, and heads of a width
// that is not a power of two.
var deep = decoding(asPrinted(Config{Vocab: 40, SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 3, Dim: 18, FF: 20}}), 3)

// deepGenerator has weights half as large again as fresh ones, which tells sentences apart; larger
// ones saturate three layers, whose rounding then grows beyond logpOff.
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

// TestCacheIsNoCache: sentences of different lengths in one call, one word among them, every way to
// search.
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

// many returns sentences of 1 to 6 words.
func many(n int) corpus.Encoded {
	var d corpus.Encoded
	for i := range n {
		ids, mask := make([]int64, 1+i%6), make([]bool, 1+i%6)
		for k := range ids {
			ids[k], mask[k] = corpus.NumSpecial+int64(i*7+k*k)%17, (i/3+k)%2 == 0
		}
		d.IDs, d.Masks, d.Styles = append(d.IDs, ids), append(d.Masks, mask), append(d.Styles, i/2%2)
	}
	d.Asked = others(d.Styles)
	return d
}

// TestSearchInGroups: so many sentences that they do not fit in one cache; none is searched twice
// or left out, and no group needs more than its share.
func TestSearchInGroups(t *testing.T) {
	d := many(1300)
	for _, dec := range []Decoding{
		{MaxExtra: 30}, {MaxExtra: 4, Beam: 4, LengthPenalty: .6}, {Decoding: recipe.Copied, Beam: 12},
	} {
		beams := map[int]*beam{}
		for i := range d.IDs {
			if i%5 != 0 { // these need no search
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
	// One that does not fit alone is searched alone.
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

// TestSearchLeavesNothing: no tensor outlives a search, done or cancelled.
func TestSearchLeavesNothing(t *testing.T) {
	parity.OnTorch(t, func() error {
		g := freshGenerator()
		defer g.Params.Free()
		d := many(60)
		before := torch.Live()
		for _, dec := range []Decoding{
			{MaxExtra: 3}, {MaxExtra: 3, Beam: 3}, {Decoding: recipe.Copied, Beam: 2}, {BF16: torch.WhyNoBF16() == ""},
		} {
			if _, err := g.Transfer(context.Background(), d, dec); err != nil {
				return err
			}
			if n := torch.Live(); n != before {
				t.Errorf("%+v: %d tensors live after a search, %d before", dec, n, before)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := g.Transfer(ctx, d, Decoding{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled search says %v", err)
		}
		if n := torch.Live(); n != before {
			t.Errorf("%d tensors live after a cancelled search, %d before", n, before)
		}
		return nil
	})
}

// TestBF16IsHonoured: 1000 and 1001 are the same number in bfloat16, of which the first is taken. 8
// bits of a significand: they lie 4 apart.
func TestBF16IsHonoured(t *testing.T) {
	if why := torch.WhyNoBF16(); why != "" {
		t.Skip(why)
	}
	d := many(40) // enough for the weights to be laid out anew
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
			all = all[:2] // its topk leaves open which of two equals comes first
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

// TestSearcher: what a search finds is the transfer's output and others, the likeliest first and
// none twice, with the source's words where nothing was masked; and log p of each word chosen is
// the model's, given the words before it.
func TestSearcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		beam := rapid.IntRange(1, 5).Draw(t, "beam")
		noRepeats := rapid.Bool().Draw(t, "no repeats")
		seed := rapid.Uint64Range(0, 20).Draw(t, "seed")
		err := torch.Run(func() error {
			g := deepGenerator(seed)
			defer g.Params.Free()
			dec := Decoding{Decoding: recipe.Copied, Beam: beam, NoRepeats: noRepeats}
			plain, err := g.Transfer(context.Background(), d, dec)
			if err != nil {
				return err
			}
			s := Searcher{Generator: g, Beam: beam, NoRepeats: noRepeats}
			all, err := s.Search(context.Background(), d)
			if err != nil {
				return err
			}
			for i, found := range all {
				if len(found) == 0 || len(found) > beam {
					t.Fatalf("a beam of %d found %v", beam, found)
				}
				if !slices.Equal(found[0].IDs, plain[i]) && !tied(g, d, i, dec) {
					t.Errorf("beam %d found %v, the transfer %v", beam, found, plain[i])
				}
				for j, f := range found {
					if j > 0 && (f.LogQ > found[j-1].LogQ || slices.Equal(f.IDs, found[j-1].IDs)) {
						t.Errorf("beam %d: %v after %v", beam, f, found[j-1])
					}
					checkFound(t, g, d, i, f, beam)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func checkFound(t *rapid.T, g *Generator, d corpus.Encoded, i int, f guided.Found, beam int) {
	if len(f.IDs) != len(d.IDs[i]) || len(f.Asked) != len(f.IDs) {
		t.Fatalf("%v became %v", d.IDs[i], f)
	}
	sum, chosen := 0.0, false
	for k, id := range f.IDs {
		want := float64(following(g, d, i, f.IDs[:k])[id])
		switch {
		case d.Masks[i][k]:
			chosen = true
			if id < corpus.NumSpecial || math.Abs(f.Asked[k]-want) > logpOff {
				t.Errorf("word %d of %v has log p %v, want %v", k, f.IDs, f.Asked[k], want)
			}
		case id != d.IDs[i][k]:
			t.Errorf("word %d of %v became %d unmasked", k, d.IDs[i], id)
		}
		if d.Masks[i][k] || chosen && beam > 1 { // what all hypotheses share is left out
			sum += want
		}
	}
	if chosen && beam > 1 {
		sum += float64(following(g, d, i, f.IDs)[corpus.EosID])
	}
	if math.Abs(f.LogQ-sum) > logpOff {
		t.Errorf("%v has log p %v, want %v", f.IDs, f.LogQ, sum)
	}
}

// uncached is the search as it is without a cache: at every position the decoder goes through all
// words of all hypotheses of sentences of one length once more, and every row has the log p of a
// whole vocabulary, also for greedy search.
func uncached(g *Generator, d corpus.Encoded, dec Decoding) []hypothesis {
	out := make([]hypothesis, len(d.IDs))
	for _, batch := range nn.Sorted(lengths(d), nn.EvalTokens) {
		must(torch.NoGrad(func() error {
			memory := g.enc.forward(g.Config.codes().inputs(d, batch, d.Asked), false)
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

// continuations returns the tokens that may follow each hypothesis of a beam; memory is the
// encoder's states [1, L, d].
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
