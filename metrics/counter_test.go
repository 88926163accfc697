package metrics

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A counter counts what counting every n-gram by its words counts, in the order of the words' numbers; of references, what outputs have suffices for BLEU.
func TestCounter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		sentences := rapid.SliceOfN(rapid.SliceOfN(word, 0, 12), 1, 6)
		outputs := sentences.Draw(t, "outputs")
		var c counter
		counts := c.all(outputs)
		names := map[int32]string{}
		for i, words := range outputs {
			want, spelled := map[string]int32{}, map[string][]int32{} // times and words' numbers
			for from := range words {
				for to := from + 1; to <= min(from+maxOrder, len(words)); to++ {
					g := strings.Join(words[from:to], " ")
					want[g]++
					spelled[g] = counts[i].ids[from:to]
				}
			}
			inOrder := slices.SortedFunc(maps.Keys(want), func(a, b string) int { return slices.Compare(spelled[a], spelled[b]) })
			if len(counts[i].terms) != len(inOrder) {
				t.Fatalf("%q has %d n-grams, want %d", words, len(counts[i].terms), len(inOrder))
			}
			for k, g := range inOrder {
				got := counts[i].terms[k]
				if got.n != want[g] || int(got.order) != len(spelled[g]) || names[got.gram] != "" && names[got.gram] != g {
					t.Fatalf("%q: n-gram %d is %+v, want %d of %q", words, k, got, want[g], g)
				}
				names[got.gram] = g
			}
		}
		if len(names) != c.size()-1 {
			t.Fatalf("%d numbers for %d n-grams", c.size()-1, len(names))
		}
		references := make([][][]string, 2)
		other := rapid.SampledFrom([]string{"a", "b", "c", "x", "y"})
		for k := range references {
			references[k] = rapid.SliceOfN(rapid.SliceOfN(other, 0, 12), len(outputs), len(outputs)).Draw(t, "references")
		}
		some := c.bleu(counts, c.known(references))
		if size := c.size(); size != len(names)+1 {
			t.Fatalf("known gave numbers to %d n-grams", size-len(names)-1)
		}
		sets := c.sets(references)
		if all := c.bleu(counts, sets); !reflect.DeepEqual(some, all) {
			t.Fatalf("%v by what outputs have, %v by all", some, all)
		}
	})
}
