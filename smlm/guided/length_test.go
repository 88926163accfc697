package guided

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// withSlots is refiller with a filler that knows slots.
func withSlots(how recipe.Guided, slots int) *Refiller {
	r := refiller(how)
	r.Filler, r.Slots = &made{slots: slots}, slots
	return r
}

// drawnSlots draws how many slots a mask has, if any, and the settings of its length.
func drawnSlots(t *rapid.T, how *recipe.Guided) int {
	how.Length = rapid.SampledFrom([]float64{-100, -1, 0, 1, 100}).Draw(t, "length")
	how.LengthGamma = rapid.SampledFrom([]float64{0, 1}).Draw(t, "length gamma")
	return rapid.IntRange(0, 3).Draw(t, "slots")
}

// TestSlots: whatever the settings, an output has a word; its words stand in the order of the places
// they stand for, no more in each than there are slots; each place has a word or is said to be
// deleted; kept and restored words are the source's; no special word is written.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		slots := max(1, drawnSlots(t, &how))
		for i, o := range transfer(t, withSlots(how, slots), d) {
			if len(o.IDs()) == 0 {
				t.Fatalf("sentence %d has no word", i)
			}
			at, n := -1, 0
			for _, w := range o.Words {
				if w.Place == at {
					n++
				} else {
					at, n = at+1, 1
				}
				switch {
				case w.Place != at || n > slots:
					t.Fatalf("sentence %d: %+v", i, o.Words)
				case (w.Origin == Inserted) != (n > 1):
					t.Fatalf("sentence %d: word %d of place %d is %s", i, n, at, w.Origin)
				case w.OfSource() && w.ID != d.IDs[i][at]:
					t.Fatalf("sentence %d: word %d in place %d, which is %s", i, w.ID, at, w.Origin)
				case (w.Origin == Deleted) != (w.ID == Empty) || w.ID != Empty && w.ID < corpus.NumSpecial:
					t.Fatalf("sentence %d: word %d is %s", i, w.ID, w.Origin)
				}
			}
			if at != len(d.IDs[i])-1 {
				t.Fatalf("sentence %d has %d places of %d", i, at+1, len(d.IDs[i]))
			}
		}
	})
}

// TestLongest: with the largest length, all slots of every place that is changed have words.
func TestLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d, slots := hows(t), drawn(t), rapid.IntRange(1, 3).Draw(t, "slots")
		how.Length = 100
		for i, o := range transfer(t, withSlots(how, slots), d) {
			words := make([]int, len(d.IDs[i]))
			for _, w := range o.Words {
				words[w.Place]++
			}
			for _, w := range o.Words {
				if !w.OfSource() && (w.Origin == Deleted || words[w.Place] != slots) {
					t.Fatalf("sentence %d has %d words of %d slots: %+v of %+v", i, words[w.Place], slots, w, o.Words)
				}
			}
		}
	})
}

// TestShortest: with the smallest length, nothing stands in a place that is changed, but for one
// word where there would be none in the sentence, or one beside itself with no_repeats.
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d, slots := hows(t), drawn(t), rapid.IntRange(1, 3).Draw(t, "slots")
		how.Length, how.Restore, how.Revise = -100, 0, false // what stays depends on what stood beside it then
		for i, o := range transfer(t, withSlots(how, slots), d) {
			words := o.Standing()
			for k, w := range words {
				if w.OfSource() || len(words) == 1 {
					continue
				}
				between := how.NoRepeats && 0 < k && k+1 < len(words) && words[k-1].ID == words[k+1].ID
				if w.Origin == Inserted || !between {
					t.Fatalf("sentence %d of %v: word %d, %s, stays in %v", i, d.IDs[i], k, w.Origin, o.IDs())
				}
			}
		}
	})
}
