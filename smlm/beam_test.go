package smlm

import (
	"cmp"
	"context"
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

// following returns log p of every token after some words of sentence i's transfer.
func following(g *Generator, d corpus.Encoded, i int, words []int64) (logp []float32) {
	must(torch.NoGrad(func() error {
		memory := g.enc.forward(g.Config.codes().inputs(d, []int{i}, d.Asked), false)
		in := append([]int64{corpus.BosID}, words...)
		states := g.decode(torch.FromInts(in, 1, int64(len(in))), memory, false)
		logp = logSoftmax(g.out.Forward(states.Narrow(1, int64(len(words)), 1)).Floats())
		return nil
	}))
	return logp
}

// logSoftmax of one row of logits.
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

// allowed tells whether a token may follow some words by the rules of Transfer.
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
func lengthRule(logp float64, words int, alpha float64) float64 {
	return logp * math.Pow(6, alpha) / math.Pow(float64(5+words), alpha)
}

// naive is beam search of one sentence, a hypothesis at a time and to the end: no batches, no
// bound, nothing skipped. margin is the smallest difference that a decision of it hangs on: between
// the last continuation that is kept and the first that is not, and between the scores of the two
// best sentences.
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
			s := lengthRule(h.logP, at, dec.LengthPenalty)
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

// logpOff is how far log p of a sentence may move with the batch and the order of its sums: three
// layers of ten sums each of up to 20 terms, a softmax over 40 words and ten words' log p, together
// of size 50 or so.
var logpOff = 50 * testkit.RoundingBound(append(testkit.Chain(30, 20), 40, 10)...)

// tied tells whether what the search finds for sentence i hangs on rounding, so that another batch
// may have another output.
func tied(g *Generator, d corpus.Encoded, i int, dec Decoding) bool {
	_, margin := naive(g, d, i, dec)
	return margin <= logpOff
}

// TestBeamIsNaive compares the batched search with the naive one, greedy search among its widths.
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

// TestGreedyIsArgmax: a beam of one, or none, is the likeliest token at each step until <eos> or as
// many words as there may be.
func TestGreedyIsArgmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		extra, width := rapid.IntRange(0, 3).Draw(t, "extra"), rapid.IntRange(0, 1).Draw(t, "beam")
		i := rapid.IntRange(0, len(d.IDs)-1).Draw(t, "sentence")
		err := torch.Run(func() error {
			g := freshGenerator()
			defer g.Params.Free()
			dec := Decoding{MaxExtra: extra, Beam: width, LengthPenalty: 1}
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

// all lists every sentence that may be written, with its log p.
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

// TestWideBeamIsExhaustive: a beam that nothing falls out of finds the best of all sentences of at
// most three words out of three words; and as alpha grows the length rule takes longer ones.
func TestWideBeamIsExhaustive(t *testing.T) {
	c := tiny
	c.Vocab = corpus.NumSpecial + 3
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10}, {11}, {10, corpus.UnkID}, {9}}, Styles: []int{0, 1, 1, 0}, Asked: []int{1, 0, 0, 1},
		Masks: [][]bool{{true, true}, {false}, {false, true}, {true}},
	}
	longer := false
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
					shortest := 0
					for _, dec.LengthPenalty = range []float64{-2, -.5, 0, .6, 1, 2, 4, 8} {
						best := slices.MaxFunc(sentences, func(a, b hypothesis) int {
							return cmp.Compare(
								lengthRule(a.logP, len(a.words), dec.LengthPenalty),
								lengthRule(b.logP, len(b.words), dec.LengthPenalty),
							)
						})
						one := d.Pick([]int{i})
						out, err := g.Transfer(context.Background(), one, dec)
						if err != nil {
							return err
						}
						if !slices.Equal(out[0], best.words) && !tied(g, one, 0, dec) {
							t.Errorf("seed %d, %v, %+v: %v, want %v", seed, d.IDs[i], dec, out[0], best.words)
						}
						if n := len(out[0]); n < shortest {
							t.Errorf(
								"seed %d, %v, %+v: %d words, %d with a smaller alpha", seed, d.IDs[i], dec, n, shortest,
							)
						} else {
							longer = longer || shortest > 0 && n > shortest
							shortest = n
						}
					}
				}
			}
			return nil
		})
	}
	if !longer {
		t.Error("alpha never made an output longer")
	}
}

// TestBeamStopsInTime: a search that is done had its best sentence already, however its hypotheses
// might have gone on.
func TestBeamStopsInTime(t *testing.T) {
	stopped := 0
	rapid.Check(t, func(t *rapid.T) {
		dec := Decoding{LengthPenalty: rapid.Float64Range(-2, 3).Draw(t, "alpha")}
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
			dec: dec, maxWords: limit, alive: []hypothesis{h}, best: &found,
			score: lengthRule(found.logP, len(found.words), dec.LengthPenalty),
		}
		if !b.done() {
			return
		}
		stopped++
		for n := len(h.words); n <= limit; n++ {
			if s := lengthRule(h.logP, n, dec.LengthPenalty); s > b.score+1e-9 {
				t.Errorf("best scores %v, the hypothesis would have scored %v at %d words", b.score, s, n)
			}
		}
	})
	if stopped == 0 {
		t.Error("no search was done")
	}
}
