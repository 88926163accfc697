package results

import (
	"fmt"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"pgregory.net/rapid"
)

// TestMarks: the mark of a word has the source word at the same place, whether the word was kept,
// filled, rephrased or deleted. If the source has no word at this place, the mark has no source
// word.
func TestMarks(t *testing.T) {
	hows := []page.How{page.Kept, page.Filled, page.Rephrased, page.Deleted}
	as := map[page.How]stages.Word{
		page.Kept: {Origin: "kept"}, page.Filled: {Origin: "filled"}, page.Rephrased: {Origin: "rephrased"},
		page.Deleted: {Origin: "deleted"},
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
			how, words := rapid.SampledFrom(hows).Draw(t, "how"), 1
			if how == page.Rephrased {
				words = rapid.IntRange(1, 3).Draw(t, "words")
			}
			for range words {
				w := as[how]
				w.Place, w.P = k, rapid.Float64Range(0, 1).Draw(t, "p")
				o.Words = append(o.Words, w)
				want = append(want, page.Origin{How: how, Source: of, P: w.P})
			}
		}
		if got := Marks(&o, source); !slices.Equal(got, want) {
			t.Errorf("of %q and %+v: %+v, want %+v", source, o.Words, got, want)
		}
	})
}
