package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTextOfReadings: what Text writes is an experiment again, with the same points; it has the
// weight of a reading where one may read it.
func TestTextOfReadings(t *testing.T) {
	const head = "[datasets.demo]\nbuiltin = \"demo\"\n"
	for _, c := range []struct {
		text   string
		weight bool
	}{
		{head, false},
		{head + "finetune.reading = \"minmax\"\n", false},
		{head + "[finetune]\nreading = [\"minmax\", \"authors\"]\ndisc_inv_weight = 0.3\n", true},
		{head + "finetune.disc_inv_weight = 0.2\n[variants.a]\n[variants.b.finetune]\nreading = \"authors\"\n", true},
		{"profile = \"authors\"\n" + head, true},
	} {
		e := load(t, c.text)
		again := load(t, e.Text())
		if d := cmp.Diff(e.Points(), again.Points(), cmp.FilterPath(func(p cmp.Path) bool {
			return p.Last().String() == ".Axes"
		}, cmp.Ignore())); d != "" {
			t.Errorf("%s: other points (-want +got):\n%s", c.text, d)
		}
		if got := strings.Contains(e.Text(), "disc_inv_weight"); got != c.weight {
			t.Errorf("%s: a weight is written: %v", c.text, got)
		}
	}
}
