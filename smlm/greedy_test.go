package smlm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
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
	}
	return id >= corpus.NumSpecial
}

// naive decodes one sentence without batches, caches or shortcuts. It also returns a margin: if the
// margin is small, rounding could change the output. The margin is the smallest difference in log p
// between the token that is taken and the next likely one.
func naive(g *Generator, d corpus.Encoded, i int, dec Decoding) (words []int64, margin float64) {
	margin = math.Inf(1)
	for {
		best, second := int64(-1), math.Inf(-1)
		logp := following(g, d, i, words)
		for id := range logp {
			switch {
			case !allowed(d, i, dec, words, int64(id)):
			case best < 0 || logp[id] > logp[best]:
				if best >= 0 {
					second = float64(logp[best])
				}
				best = int64(id)
			default:
				second = max(second, float64(logp[id]))
			}
		}
		margin = min(margin, float64(logp[best])-second)
		if best == corpus.EosID {
			return words, margin
		}
		words = append(words, best)
	}
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

// sameAsNaive compares the outputs with those of the function naive. If the argument "some" is not
// empty, only sentences with these indices are compared.
func sameAsNaive(t interface{ Errorf(string, ...any) }, g *Generator, d corpus.Encoded, dec Decoding, some ...int) {
	out, err := g.Transfer(context.Background(), d, dec)
	must(err)
	if len(some) == 0 {
		some = testkit.Indices(len(d.IDs))
	}
	for _, i := range some {
		if want, margin := naive(g, d, i, dec); !slices.Equal(out[i], want) && margin > logpOff {
			t.Errorf("%+v: %v became %v, want %v, by %.2g at least", dec, d.IDs[i], out[i], want, margin)
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

// TestGreedyIsNaive checks that batched and cached decoding gives the same outputs as the function
// naive. It tries sentences of different lengths in one call, and two shapes.
func TestGreedyIsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		dec := searches(t)
		dec.Decoding = rapid.SampledFrom([]recipe.Decoding{recipe.Copied, recipe.Predicted}).Draw(t, "decoding")
		seed := rapid.Uint64Range(0, 20).Draw(t, "seed")
		err := torch.Run(func() error {
			g := freshGenerator()
			if seed > 0 {
				g.Params.Free()
				g = deepGenerator(seed)
			}
			defer g.Params.Free()
			sameAsNaive(t, g, d, dec)
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

// TestGroups decodes more sentences than fit into one cache. No sentence may be decoded twice or
// left out, and no group may need more than decodingSlots slots.
func TestGroups(t *testing.T) {
	d := many(1300)
	for _, dec := range []Decoding{
		{MaxExtra: 30}, {MaxExtra: 14},
	} {
		drafts := map[int]*draft{}
		for i := range d.IDs {
			if i%5 != 0 { // the other sentences need no model
				drafts[i] = newDraft(d.IDs[i], d.Masks[i], dec)
			}
		}
		groups := groupSentences(d, drafts)
		seen := map[int]bool{}
		for _, group := range groups {
			slots := 0
			for _, batch := range group {
				for _, i := range batch {
					if seen[i] || drafts[i] == nil || len(d.IDs[i]) != len(d.IDs[batch[0]]) {
						t.Errorf("%+v: sentence %d is out of place", dec, i)
					}
					seen[i] = true
					slots += drafts[i].slots()
				}
			}
			if slots > decodingSlots {
				t.Errorf("%+v: a group of %d slots", dec, slots)
			}
		}
		if len(seen) != len(drafts) || len(groups) < 2 {
			t.Errorf("%+v: %d of %d sentences in %d groups", dec, len(seen), len(drafts), len(groups))
		}
		parity.OnTorch(t, func() error {
			g := deepGenerator(3)
			defer g.Params.Free()
			var some []int
			for i := 0; i < len(d.IDs); i += 23 {
				some = append(some, i)
			}
			sameAsNaive(t, g, d, dec, some...)
			return nil
		})
	}
	// A sentence that alone needs more than decodingSlots slots is a group of its own.
	one := d.Pick([]int{5, 5, 5})
	dec := Decoding{MaxExtra: decodingSlots}
	drafts := map[int]*draft{}
	for i := range one.IDs {
		drafts[i] = newDraft(one.IDs[i], one.Masks[i], dec)
	}
	if groups := groupSentences(one, drafts); len(groups) != 3 {
		t.Errorf("three large outputs in %d groups", len(groups))
	}
}

// TestDecodingLeavesNothing checks that no tensor outlives Transfer, even if it is cancelled.
func TestDecodingLeavesNothing(t *testing.T) {
	parity.OnTorch(t, func() error {
		g := freshGenerator()
		defer g.Params.Free()
		d := many(60)
		before := torch.LiveHandles()
		for _, dec := range []Decoding{
			{MaxExtra: 3}, {Decoding: recipe.Copied}, {BF16: torch.WhyNoBF16() == ""},
		} {
			if _, err := g.Transfer(context.Background(), d, dec); err != nil {
				return err
			}
			if n := torch.LiveHandles(); n != before {
				t.Errorf("%+v: %d tensors live after it, %d before", dec, n, before)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := g.Transfer(ctx, d, Decoding{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled call says %v", err)
		}
		if n := torch.LiveHandles(); n != before {
			t.Errorf("%d tensors live after a cancelled call, %d before", n, before)
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
		for _, dec := range []Decoding{{}, {Decoding: recipe.Copied}} {
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
