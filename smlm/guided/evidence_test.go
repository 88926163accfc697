package guided

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
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

// TestInsist: of a sentence of six words attention masked one of those that carry the style, and no
// further mask is asked for. Where the guide doubts that, others are masked too, those of the most
// evidence first and up to half of the sentence, and the surer output stays.
func TestInsist(t *testing.T) {
	const a, other = corpus.NumSpecial, corpus.NumSpecial + 10
	ids := []int64{a, a + 1, a + 2, a + 3, a + 4, a + 5}
	odds := map[int64]float64{a: -3, a + 1: -2, a + 2: -4, a + 3: -1.5, other: 2}
	two := map[int64]float64{a: -3, a + 1: -2, a + 5: 1, other: 2}
	worse := map[int64]float64{a: -3, a + 1: -2, a + 2: -4, a + 3: -1.5, other: -5}
	for _, c := range []struct {
		name     string
		insist   float64
		evidence float64
		odds     map[int64]float64
		want     []int // places that change
	}{
		{"not asked for", 0, 0, odds, []int{1}},
		{"half of the words", .9, 0, odds, []int{0, 1, 2}},
		{"those of much evidence", .9, 3.5, odds, []int{1, 2}},
		{"those of any evidence", .99, 0, two, []int{0, 1}},
		{"none has so much", .9, 4.5, odds, []int{1}},
		{"the guide does not doubt", 1e-9, 0, odds, []int{1}},
		{"a worse output is not kept", .9, 0, worse, []int{1}},
	} {
		r := &Refiller{
			How:    recipe.Guided{Plausible: .1, Insist: c.insist, Evidence: c.evidence},
			Filler: twoWords{{ID: other, Asked: -1}}, Guide: byWord{odds: c.odds},
		}
		d := corpus.Encoded{
			IDs: [][]int64{ids}, Styles: []int{0}, Asked: []int{1},
			Masks: [][]bool{{false, true, false, false, false, false}},
		}
		o := transfer(t, r, d)[0]
		for k, w := range o.Words {
			if changed := slices.Contains(c.want, k); changed != (w.ID == other) || changed == (w.Origin == Kept) ||
				changed && k != 1 && w.Origin != Added {
				t.Errorf("%s: word %d is %+v", c.name, k, w)
			}
		}
	}
}

// TestInsistsOnTheDoubtful: outputs of which the guide is as sure as is asked for are those of one
// writing, and none becomes less sure.
func TestInsistsOnTheDoubtful(t *testing.T) {
	again := 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Insist = .8
		slots := drawnSlots(t, &how)
		once := how
		once.Insist = 0
		first, all := transfer(t, withSlots(once, slots), d), transfer(t, withSlots(how, slots), d)
		for i, o := range all {
			same := slices.Equal(o.Words, first[i].Words)
			if !same && !(first[i].Sure < how.Insist && o.Sure > first[i].Sure) {
				t.Fatalf("sentence %d: %v was of %v, and is %v of %v", i, first[i].IDs(), first[i].Sure, o.IDs(), o.Sure)
			}
			if !same {
				again++
			}
		}
	})
	if again == 0 {
		t.Error("no sentence was written once more: the test is blind")
	}
}
