package smlm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
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
		if dec.Beam > 1 && math.Abs(got[i].logp-want.logp) > logpOff {
			t.Errorf("%+v: %v has log p %v, want %v", dec, d.IDs[i], got[i].logp, want.logp)
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
		groups := together(d, beams)
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
	if groups := together(one, beams); len(groups) != 3 {
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
