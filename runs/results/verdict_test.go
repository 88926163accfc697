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
		good, odd, recognised, oneWord float64
		train                          int
		unknown                        float64
		want                           []string
		not                            []string
	}{
		"it works": {
			.99, .01, 1, .2, 1000, 0,
			[]string{"99 of 100 dev outputs on mine reach the style", ": replacing words works here."},
			[]string{"Only", "fit", "few"},
		},
		"words do not fit": {.45, .34, .8, .2, 10_000, 0, []string{
			"Only 45 of 100", "does not do this well", "Another 34 reach the style with words that do not fit", "added phrases", "Read outputs",
		}, []string{"hard to tell apart"}},
		"it works in part": {.7, .1, 1, .2, 90_000, 0, []string{
			"70 of 100", ": replacing words works in part.", "Read outputs",
		}, []string{"Only", "works here"}},
		"it works in part, words do not fit": {.62, .32, 1, .2, 10_000, 0, []string{
			"Another 32 reach the style with words that do not fit: give more training sentences, unless the style lies in added",
		}, []string{"Only", "probably"}},
		"styles are alike": {.8, .4, .7, .2, 90_000, 0, []string{
			"80 of 100", "well, but the styles are hard to tell apart (a classifier recognises 70 of 100 sources): replacing " +
				"words does not do this well.",
		}, []string{"Only", "fit", "works"}},
		"styles are alike, one word everywhere": {.8, .4, .6, .5, 90_000, 0, []string{
			`(a classifier recognises 60 of 100 sources), and in one direction 50 of 100 new words are "moreover": replacing words`,
		}, []string{"Only", "fit", "works"}},
		"one word everywhere": {.65, .1, .9, .5, 90_000, 0, []string{
			"65 of 100", `but in one direction 50 of 100 new words are "moreover": replacing words does not do this well`,
		}, []string{"Only", "works"}},
		"unknown words": {.45, .34, .8, .2, 10_000, .12, []string{
			"Another 34 reach the style with words that do not fit; 12 of 100 words are in no training sentence, so give more.",
		}, []string{"added phrases"}},
		"few sentences": {.2, .1, .9, .2, 500, 0, []string{
			"Only 20 of 100", "few training sentences (500): give more",
		}, []string{"fit"}},
	} {
		tuning := stages.Tuning{
			Recognised: c.recognised, Unknown: c.unknown,
			Tried: []stages.Trial{{Good: c.good, Odd: c.odd, NewWord: "moreover", NewWordShare: c.oneWord}},
		}
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
