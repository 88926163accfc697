package guided

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"pgregory.net/rapid"
)

// TestRoundingDecidesNothing: a sentence comes out the same among others, in another order of them,
// in batches of other sizes and alone, if many edits are equally good but for the last bits of what
// models say.
func TestRoundingDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		// These weights keep values apart by more than rounding if they are apart at all.
		how.Style, how.Fluency = math.Round(how.Style), math.Round(how.Fluency)
		all := func(d corpus.Encoded) (ids [][]int64) {
			m := &made{coarse: true, noise: 1e-7}
			for _, found := range write(t, m.writer(how), d, 1) {
				ids = append(ids, found[0].IDs())
			}
			return ids
		}
		want := all(d)
		n := len(want)
		order := rapid.Permutation(numbers(n)).Draw(t, "order")
		other := d.Pick(order)
		var got [][]int64
		for size := rapid.IntRange(1, n).Draw(t, "size"); len(got) < n; {
			got = append(got, all(other.Slice(len(got), min(len(got)+size, n)))...)
		}
		for at, i := range order {
			if !slices.Equal(want[i], got[at]) {
				t.Fatalf("sentence %d, %v, is %v among all and %v in another order", i, d.IDs[i], want[i], got[at])
			}
		}
	})
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
