package guided

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TestEvidence: the guide's log odds of the source's style are 3 of the first word, .4 of the
// second, 1 of the third and -2 of the fourth. A masked word that has less evidence than is asked
// for keeps its place, but for the word of the most.
func TestEvidence(t *testing.T) {
	const a, other = corpus.NumSpecial, corpus.NumSpecial + 10
	by := byWord{odds: map[int64]float64{a: -3, a + 1: -.4, a + 2: -1, a + 3: 2, other: 5}}
	for _, c := range []struct {
		evidence float64
		masks    []bool
		want     []bool // refilled
	}{
		{0, []bool{true, true, true, true}, []bool{true, true, true, true}},
		{.3, []bool{true, true, true, true}, []bool{true, true, true, false}},
		{1, []bool{true, true, true, true}, []bool{true, false, true, false}},
		{2, []bool{true, true, true, true}, []bool{true, false, false, false}},
		{1, []bool{false, true, false, true}, []bool{false, true, false, false}},
		{1, []bool{false, false, false, true}, []bool{false, false, false, true}},
		{1, []bool{false, false, false, false}, []bool{false, false, false, false}},
	} {
		r := &Refiller{
			How:    recipe.Guided{Plausible: .1, Evidence: c.evidence},
			Filler: twoWords{{ID: other, Asked: -1}}, Guide: by,
		}
		d := corpus.Encoded{
			IDs: [][]int64{{a, a + 1, a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{c.masks},
		}
		o := transfer(t, r, d)[0]
		for k, w := range o.Words {
			if refilled := w.Origin == Refilled; refilled != c.want[k] || refilled != (w.ID == other) {
				t.Errorf("evidence %v, masks %v: word %d is %+v", c.evidence, c.masks, k, w)
			}
		}
	}
}
