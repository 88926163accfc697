package metrics

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"pgregory.net/rapid"
)

// TestCounter compares ngramCounter with a plain count of every n-gram, sorted by word numbers. It
// also checks that BLEU gets the same matches from Known and from All, although Known skips
// n-grams that no output contains.
func TestCounter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		sentences := rapid.SliceOfN(rapid.SliceOfN(word, 0, 12), 1, 6)
		outputs := sentences.Draw(t, "outputs")
		var c ngramCounter
		counts := c.All(outputs)
		names := map[int32]string{}
		for i, words := range outputs {
			// number of occurrences and word numbers of each n-gram
			want, spelled := map[string]int32{}, map[string][]int32{}
			for from := range words {
				for to := from + 1; to <= min(from+maxOrder, len(words)); to++ {
					g := strings.Join(words[from:to], " ")
					want[g]++
					spelled[g] = counts[i].IDs[from:to]
				}
			}
			inOrder := slices.SortedFunc(
				maps.Keys(want), func(a, b string) int { return slices.Compare(spelled[a], spelled[b]) },
			)
			if len(counts[i].Terms) != len(inOrder) {
				t.Fatalf("%q has %d n-grams, want %d", words, len(counts[i].Terms), len(inOrder))
			}
			for k, g := range inOrder {
				got := counts[i].Terms[k]
				if got.N != want[g] || int(got.Order) != len(spelled[g]) ||
					names[got.Gram] != "" && names[got.Gram] != g {
					t.Fatalf("%q: n-gram %d is %+v, want %d of %q", words, k, got, want[g], g)
				}
				names[got.Gram] = g
			}
		}
		if len(names) != c.Size()-1 {
			t.Fatalf("%d numbers for %d n-grams", c.Size()-1, len(names))
		}
		references := make([][][]string, 2)
		other := rapid.SampledFrom([]string{"a", "b", "c", "x", "y"})
		for k := range references {
			references[k] = rapid.SliceOfN(
				rapid.SliceOfN(other, 0, 12), len(outputs), len(outputs),
			).Draw(t, "references")
		}
		some := c.Match(counts, c.Known(references))
		if size := c.Size(); size != len(names)+1 {
			t.Fatalf("known gave numbers to %d n-grams", size-len(names)-1)
		}
		if all := c.Match(counts, lists.Map(references, c.All)); !reflect.DeepEqual(some, all) {
			t.Fatalf("%v by what outputs have, %v by all", some, all)
		}
	})
}
