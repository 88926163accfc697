package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestOverlaps compares the counts with counts made by hand.
func TestOverlaps(t *testing.T) {
	d := NewDataset("toy", Styles{"wet", "dry"})
	s := func(lines ...string) (out []Sentence) {
		for _, l := range lines {
			out = append(out, strings.Fields(l))
		}
		return out
	}
	d.Text[Train][0] = s("we walked home .", "a wet day", "?")
	d.Text[Train][1] = s("dry !")
	d.Text[Dev][0] = s(
		"we walked home .", // equal
		"A wet day ...",    // equal only after fold
		"a wet night", "a day",
		"?", "!", // "?" counts as equal; "!" does not, although fold empties both
	)
	d.Text[Train][1] = append(d.Text[Train][1], s("caf\u00e9 , wet")...)
	d.Text[Dev][1] = s("dry", "CAF\u00c9 wet") // equal only after fold
	d.Text[Test][0] = s("we walked home now", "home we walked")
	d.Text[Test][1] = s("dry !")
	want := []Overlap{
		{Split: "dev", In: "train", Sentences: 8, Equal: 2, Folded: 5},
		{Split: "test", In: "train", Sentences: 3, Equal: 1, Folded: 1},
		{Split: "test", In: "dev", Sentences: 3, Equal: 0, Folded: 1},
	}
	got := d.Overlaps()
	if !slices.Equal(got, want) {
		t.Errorf("\n%+v\nwant\n%+v", got, want)
	}
	for i, suspect := range []bool{true, false, false} { // one common sentence is not suspect
		if got[i].Suspect() != suspect {
			t.Errorf("%+v is suspect: %v", got[i], !suspect)
		}
	}
}

// TestOverlapsIMDb checks the number of published test sentences that are also dev sentences. The
// expected number is that of `grep -Fxc -f`.
func TestOverlapsIMDb(t *testing.T) {
	d, err := Load(testkit.Shared(t, "imdb"), "imdb", []string{"negative", "positive"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range d.Overlaps() {
		if o.Split == "test" && o.In == "dev" && (o.Equal != 79 || !o.Suspect()) {
			t.Errorf("%+v", o)
		}
	}
}
