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

// TestSlots: whatever the settings, an output has a word; its words stand in the order of the
// places they stand for, no more in each than there are slots; each place has a word or is said to
// be deleted; kept and restored words are the source's; no special word is written.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d, slots := hows(t), drawn(t), rapid.IntRange(1, 3).Draw(t, "slots")
		how.Length = rapid.SampledFrom([]float64{-100, -1, 0, 1, 100}).Draw(t, "length")
		how.LengthGamma = rapid.SampledFrom([]float64{0, 1}).Draw(t, "length gamma")
		how.LengthFit = rapid.SampledFrom([]float64{0, 5}).Draw(t, "length fit")
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
