package results

import (
	"fmt"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"pgregory.net/rapid"
)

// TestMarks: whatever became of the words of a source, each mark has the word of the source in
// whose place its word stands, a deleted one too. Words that the source lacks are left out.
func TestMarks(t *testing.T) {
	as := map[page.How]stages.Word{
		page.Kept: {Origin: "kept"}, page.Restored: {Origin: "restored"}, page.Refilled: {Origin: "refilled"},
		page.Added: {Origin: "added"}, page.Inserted: {Origin: "inserted"}, page.Deleted: {Origin: "deleted"},
	}
	rapid.Check(t, func(t *rapid.T) {
		var o stages.Origins
		var source []string
		var want []page.Origin
		places := rapid.IntRange(1, 8).Draw(t, "places")
		known := rapid.IntRange(0, places).Draw(t, "words of the source")
		for k := range places {
			of := ""
			if k < known {
				of = fmt.Sprintf("in%d", k)
				source = append(source, of)
			}
			hows := []page.How{rapid.SampledFrom(
				[]page.How{page.Kept, page.Restored, page.Refilled, page.Added, page.Deleted},
			).Draw(t, "how")}
			if hows[0] == page.Refilled || hows[0] == page.Added {
				further := rapid.IntRange(0, 2).Draw(t, "further")
				hows = append(hows, slices.Repeat([]page.How{page.Inserted}, further)...)
			}
			for _, how := range hows {
				w := as[how]
				w.P, w.Guide = rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "guide")
				w.Negated = rapid.Bool().Draw(t, "negated")
				o.Words = append(o.Words, w)
				want = append(want, page.Origin{How: how, Source: of, P: w.P, Guide: w.Guide, Negated: w.Negated})
			}
		}
		if got := Marks(&o, source); !slices.Equal(got, want) {
			t.Errorf("of %q and %+v: %+v, want %+v", source, o.Words, got, want)
		}
	})
}
