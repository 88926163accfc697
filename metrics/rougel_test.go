package metrics

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

func TestRougeLByHand(t *testing.T) {
	f := func(p, r float64) float64 { return 2.44 * p * r / (r + 1.44*p) } // 1.2^2 = 1.44
	for _, c := range []struct {
		name   string
		output [][]string
		source [][]string
		want   float64
	}{
		{"equal", testkit.Split("a b c"), testkit.Split("a b c"), 1},
		// The longest common subsequence is "a c e": 3 of the 5 words of the output, and 3 of the 4
		// words of the reference.
		{"with gaps", testkit.Split("a x c y e"), testkit.Split("a c z e"), f(.6, .75)},
		{"reversed", testkit.Split("a b c"), testkit.Split("c b a"), f(1./3, 1./3)},
		{"a word twice", testkit.Split("a a"), testkit.Split("a b a"), f(1, 2./3)},
		{"nothing in common", testkit.Split("a"), testkit.Split("b"), 0},
		{"empty output", testkit.Split(""), testkit.Split("b"), 0},
		{"empty source", testkit.Split("a"), testkit.Split(""), 0},
		{"both empty", testkit.Split(""), testkit.Split(""), 1},
		{"case", testkit.Split("a"), testkit.Split("A"), 0},
		{"mean of sentences", testkit.Split("a b c d", "a"), testkit.Split("a b c d", "b"), .5},
		{"no sentence", nil, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := average(eachRougeL(c.output, c.source)); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("ROUGE-L = %v, want %v", got, c.want)
			}
		})
	}
}

func TestRougeLProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		out, source := sentences(n).Draw(t, "out"), sentences(n).Draw(t, "source")
		one := eachRougeL(out, source)
		for i := range out {
			if one[i] < 0 || one[i] > 1 {
				t.Fatalf("%v is outside 0-1", one[i])
			}
			// Reversing both sentences does not change the length of their longest common
			// subsequence.
			a, b := [][]string{backwards(out[i])}, [][]string{backwards(source[i])}
			if again := eachRougeL(a, b)[0]; math.Abs(again-one[i]) > 1e-12 {
				t.Fatalf("backwards %v, forwards %v", again, one[i])
			}
		}
		if same := average(eachRougeL(out, out)); same != 1 {
			t.Fatalf("ROUGE-L of a text against itself is %v", same)
		}
	})
}

func backwards(words []string) []string {
	var out []string
	for i := range words {
		out = append(out, words[len(words)-1-i])
	}
	return out
}
