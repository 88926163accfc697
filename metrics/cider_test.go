package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

func TestCIDErByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		output [][]string
		source [][]string
		want   float64 // CIDEr of the first output
	}{
		{"equal", testkit.Split("a b c d", "x"), testkit.Split("a b c d", "y"), 10},
		// Three words have no 4-gram. The similarity is 1 for n = 1 to 3 and 0 for n = 4.
		{"three words", testkit.Split("a b c", "x"), testkit.Split("a b c", "y"), 7.5},
		// The word "a" is in all sources, so its weight is 0. The unigram vectors
		// of output and source are both (0, log 2), and both have the only pair "a b". The
		// similarity is 1 for n = 1 and 2, and 0 for n = 3 and 4.
		{"a word of every source", testkit.Split("a b", "x"), testkit.Split("a b", "a"), 5},
		// The unigram vectors are (1, 1) and (1, 0), each times log 2. The similarity is 1/sqrt(2)
		// for n = 1 and 0 for the other n. The output has one pair and the source none, so the
		// length penalty is exp(-1/72).
		{"longer", testkit.Split("a b", "x"), testkit.Split("a", "y"), 2.5 / math.Sqrt2 * math.Exp(-1./72)},
		// The unigram vectors are (3) and (1), each times log 2. Clipping makes their similarity
		// 1/3 instead of 1. The output has two pairs and the source none, so the length penalty
		// is exp(-4/72).
		{"repeats", testkit.Split("a a a", "x"), testkit.Split("a", "y"), 2.5 / 3 * math.Exp(-4./72)},
		{"one sentence", testkit.Split("a b c d"), testkit.Split("a b c d"), 0},
		{"nothing in common", testkit.Split("a", "x"), testkit.Split("b", "y"), 0},
		{"empty output", testkit.Split("", "x"), testkit.Split("b", "y"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := eachCIDEr(c.output, c.source)[0]; math.Abs(got-c.want) > 1e-12 {
				t.Errorf("CIDEr = %v, want %v", got, c.want)
			}
		})
	}
	if got := eachCIDEr(nil, nil); len(got) != 0 {
		t.Errorf("CIDEr of nothing is %v", got)
	}
}

func TestCIDErProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		out, source := sentences(n).Draw(t, "out"), sentences(n).Draw(t, "source")
		for i, v := range eachCIDEr(out, source) {
			if v < 0 || v > 10 {
				t.Fatalf("CIDEr %v is outside 0-10", v)
			}
			if again := eachCIDEr(out, source)[i]; again != v {
				t.Fatalf("a second time %v is %v", v, again)
			}
		}
		// A text of distinct long sentences scores 10 when it is compared with itself.
		for i := range out {
			word := string(rune('e' + i))
			out[i] = append(out[i], word, word, word, word)
		}
		if same := average(eachCIDEr(out, out)); same > 10 || same < 10-1e-9 {
			t.Fatalf("CIDEr of a text against itself is %v", same)
		}
	})
}

// TestCIDErStaysWithinItsRange checks on many corpora with different word weights that rounding
// does not raise the score of equal sentences above 10.
func TestCIDErStaysWithinItsRange(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		text := make([][]string, 9)
		for i := range text {
			for range 4 + rng.IntN(9) {
				text[i] = append(text[i], string(rune('a'+min(rng.IntN(12), rng.IntN(12)))))
			}
		}
		for i, v := range eachCIDEr(text, text) {
			if v > 10 {
				t.Fatalf("corpus %d: output %d has %v", seed, i, v)
			}
		}
	}
}
