package guided

import (
	"context"
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// byWord is a guide and n-grams that look up how much each word is worth.
type byWord struct{ odds, fluent map[int64]float64 }

func (b byWord) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	out := make([][]float64, len(all))
	for i, ids := range all {
		x := 0.0
		for _, id := range ids {
			x += b.odds[id]
		}
		out[i] = []float64{-math.Log1p(math.Exp(x)), -math.Log1p(math.Exp(-x))}
	}
	return out, nil
}

func (b byWord) Window(ids []int64, k int) float64 { return b.fluent[ids[k]] }

func (byWord) Alone(int64) float64 { return 0 }

func (b byWord) LogProb(ids []int64) (sum float64) {
	for k := range ids {
		sum += b.Window(ids, k)
	}
	return sum
}

// TestWhichGoesBackFirst: the source has words 0, 1 and 2 and the draft 10, 11 and 12 there, which
// make the odds of the style asked for 6. Word 0 takes 4 of the odds, 1 takes 3.5, 2 takes 3.4; the
// guide wants 2, so that one word may return and no second one.
func TestWhichGoesBackFirst(t *testing.T) {
	const a, b = corpus.NumSpecial, corpus.NumSpecial + 10
	by := byWord{
		odds: map[int64]float64{a: -2, a + 1: -1.5, a + 2: -1.4, b: 2, b + 1: 2, b + 2: 2},
		// what a word gains: 3 of the first, 5 of the second, -1 of the third
		fluent: map[int64]float64{a: -4, a + 1: -2, a + 2: -5, b: -7, b + 1: -7, b + 2: -4},
	}
	sure := func(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }
	for _, c := range []struct {
		name             string
		fluency, restore float64
		want             int // -1: none
	}{
		{"the guide surest", 0, sure(1.9), 2},
		{"the most fluent", 1, sure(1.9), 1},
		{"no less fluent by a larger weight", 4, sure(1.9), 1},
		{"the most fluent of those that may", 1, sure(2.55), 2},
		{"none may", 1, sure(2.7), -1},
	} {
		s := &draft{source: []int64{a, a + 1, a + 2}, asked: 1, sure: sure(6), masks: []bool{true, true, true}}
		for k := range s.source {
			s.words = append(s.words, cell{{ID: b + int64(k), Origin: Refilled}})
		}
		r := &Refiller{How: recipe.Guided{Fluency: c.fluency, Restore: c.restore}, Guide: by, Fluency: by}
		if err := r.restore(t.Context(), []*draft{s}); err != nil {
			t.Fatal(err)
		}
		for k, w := range s.output().Words {
			if back := w.Origin == Restored; back != (k == c.want) || back != (w.ID == s.source[k]) {
				t.Errorf("%s: word %d is %+v, want word %d restored", c.name, k, w, c.want)
			}
		}
	}
}

// counted counts the sentences that a likelihood is asked about.
type counted struct {
	Likelihood
	sentences *int
}

func (c counted) LogQ(ctx context.Context, d corpus.Encoded) ([][]float64, error) {
	*c.sentences += len(d.IDs)
	return c.Likelihood.LogQ(ctx, d)
}

// TestContrastOfWhatMayReturn: the model is asked about the contrast of words alone that the guide
// lets return, once for a form, beside what the others were at first.
func TestContrastOfWhatMayReturn(t *testing.T) {
	const a, b = corpus.NumSpecial, corpus.NumSpecial + 10
	for _, c := range []struct {
		name    string
		restore float64
		want    int // sentences: each form in two styles
	}{
		{"none may", 0.99999, 0},
		{"one may, of the second form", 1 / (1 + math.Exp(-4.5)), 2},
		{"all may", .5, 6},
	} {
		s := &draft{source: []int64{a, a + 1, a + 2, a}, asked: 1, sure: .999, masks: []bool{true, true, true, true}}
		for k := range s.source {
			s.words = append(s.words, cell{{ID: b, Place: k, Origin: Refilled}})
		}
		n := 0
		r := &Refiller{
			How:   recipe.Guided{Restore: c.restore, RestoreContrast: 1},
			Guide: byWord{odds: map[int64]float64{a: -2, a + 1: .5, a + 2: -2, b: 2}},
			// every word is telling, and none returns
			Likelihood: counted{byStyle{a: 3, a + 1: 3, a + 2: 3}, &n},
		}
		if err := r.restore(t.Context(), []*draft{s}); err != nil {
			t.Fatal(err)
		}
		for k := range s.source {
			if s.isSource(k) {
				t.Errorf("%s: word %d returns", c.name, k)
			}
		}
		if n != c.want {
			t.Errorf("%s: the model is asked about %d sentences, want %d", c.name, n, c.want)
		}
	}
}
