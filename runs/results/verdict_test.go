package results

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestVerdict checks that a verdict says whether replacing words works, names each cause that the
// numbers show, and has at most three sentences.
func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		good, odd, recognised float64
		train                 int
		want                  []string
		not                   []string
	}{
		"it works": {
			.99, .01, 1, 1000,
			[]string{"99 of 100 dev outputs on mine reach the style", ": replacing words works here."},
			[]string{"Only", "fit", "few"},
		},
		"words do not fit": {.45, .34, .8, 10_000, []string{
			"Only 45 of 100", "does not do this well", "Another 34 reach the style with words that do not fit", "added phrases", "Read outputs",
		}, []string{"hard to tell apart"}},
		"styles are alike": {.55, .1, .7, 90_000, []string{
			"55 of 100", "works in part", "recognises 70 of 100 sources",
		}, []string{"Only", "fit"}},
		"few sentences": {.2, .1, .9, 500, []string{
			"Only 20 of 100", "few training sentences (500): give more",
		}, []string{"fit"}},
	} {
		tuning := stages.Tuning{Recognised: c.recognised, Tried: []stages.Trial{{Good: c.good, Odd: c.odd}}}
		got := verdict("mine", tuning, c.train)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q has %q", name, got, not)
			}
		}
		if n := strings.Count(got, ". ") + 1; n > 3 {
			t.Errorf("%s: %d sentences", name, n)
		}
	}
}
