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
		refs   [][][]string
		want   float64
	}{
		{"equal", testkit.Split("a b c"), [][][]string{testkit.Split("a b c")}, 1},
		// The longest common subsequence is "a c e": 3 of the 5 words of the output, and 3 of the 4
		// words of the reference.
		{"with gaps", testkit.Split("a x c y e"), [][][]string{testkit.Split("a c z e")}, f(.6, .75)},
		{"reversed", testkit.Split("a b c"), [][][]string{testkit.Split("c b a")}, f(1./3, 1./3)},
		{"a word twice", testkit.Split("a a"), [][][]string{testkit.Split("a b a")}, f(1, 2./3)},
		// All words of the output are in the first reference, so precision is 1. The only word of
		// the second reference is in the output, so recall is 1.
		{"best of each", testkit.Split("a b"), [][][]string{testkit.Split("a b c d"), testkit.Split("b")}, f(1, 1)},
		{"nothing in common", testkit.Split("a"), [][][]string{testkit.Split("b")}, 0},
		{"empty output", testkit.Split(""), [][][]string{testkit.Split("b")}, 0},
		{"empty reference", testkit.Split("a"), [][][]string{testkit.Split("")}, 0},
		{"both empty", testkit.Split(""), [][][]string{testkit.Split("")}, 1},
		{"case", testkit.Split("a"), [][][]string{testkit.Split("A")}, 0},
		{"mean of sentences", testkit.Split("a b c d", "a"), [][][]string{testkit.Split("a b c d", "b")}, .5},
		{"no reference", testkit.Split("a"), nil, 0},
		{"no sentence", nil, [][][]string{nil}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := RougeL(c.output, c.refs...); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("RougeL = %v, want %v", got, c.want)
			}
		})
	}
}

func TestUnequalSets(t *testing.T) {
	for name, metric := range map[string]func(){
		"BLEU":      func() { BLEU4(testkit.Split("a", "b"), testkit.Split("a")) },
		"sentences": func() { sentenceBLEU(testkit.Split("a", "b"), testkit.Split("a")) },
		"RougeL":    func() { RougeL(testkit.Split("a", "b"), testkit.Split("a", "b"), testkit.Split("a")) },
		"CIDEr":     func() { CIDEr(testkit.Split("a"), testkit.Split("a", "b")) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("took a reference set of another length")
				}
			}()
			metric()
		})
	}
}

func TestRougeLProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		out, ref, more := sentences(n).Draw(t, "out"), sentences(n).Draw(t, "ref"), sentences(n).Draw(t, "more")
		one, two := eachRougeL(out, ref), eachRougeL(out, ref, more)
		for i := range out {
			if one[i] < 0 || two[i] > 1 || two[i] < one[i]-1e-12 {
				t.Fatalf("%v, with another reference %v: outside 0-1, or it fell", one[i], two[i])
			}
			// Reversing both sentences does not change the length of their longest common
			// subsequence.
			a, b := [][]string{backwards(out[i])}, [][]string{backwards(ref[i])}
			if again := RougeL(a, b); math.Abs(again-one[i]) > 1e-12 {
				t.Fatalf("backwards %v, forwards %v", again, one[i])
			}
		}
		if same := RougeL(out, out); same != 1 {
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
