package guided

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// TestRoundingDecidesNothing checks that a sentence gets the same output alone and in any batch.
// This must hold even if many edits differ only in the last bits of the model's values.
func TestRoundingDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		// With these weights, two values differ either by the noise alone or by more than the
		// constant "rounding".
		how.Style, how.Fluency = recipe.OrAuto(math.Round(float64(how.Style))), math.Round(how.Fluency)
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
		var got [][]int64
		for part := range slices.Chunk(order, rapid.IntRange(1, n).Draw(t, "size")) {
			got = append(got, all(d.Pick(part))...)
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
