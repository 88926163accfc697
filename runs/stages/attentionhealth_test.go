package stages

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TestAttentionHealth: attention on the words that carry style is healthy, attention on the others
// is not; entropy and the largest share are those of the numbers given.
func TestAttentionHealth(t *testing.T) {
	var d corpus.Encoded
	var on, off [][]float32
	for i := range 200 {
		style := i % 2
		d.IDs, d.Styles = append(d.IDs, []int64{20, int64(10 + style), 21}), append(d.Styles, style)
		on, off = append(on, []float32{.25, .5, .25}), append(off, []float32{.25, .25, .5})
	}
	c := classifier.FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 8, Ngrams: 1, Buckets: 10}}
	selector := classifier.NewFastText(c, 1)
	if _, err := selector.Train(t.Context(), d, d, classifier.FastTextRecipe{Epochs: 5, LR: .5, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	healthy, ill := health(d, 2, on, selector), health(d, 2, off, selector)
	if !slices.Equal(healthy.Found, []float64{1, 1}) || !healthy.Healthy() {
		t.Errorf("attention on style words: %+v", healthy)
	}
	if slices.Max(ill.Found) > .1 || ill.Healthy() {
		t.Errorf("attention on others: %+v", ill)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	if want := 1.5 * math.Ln2 / math.Log(3); !near(healthy.Entropy, want) || !near(healthy.TopShare, .5) {
		t.Errorf("entropy %v, want %v; top share %v", healthy.Entropy, want, healthy.TopShare)
	}
	for n := range 60 { // equal attention, and all on one word: 1 is the most, however many sentences are added up
		var equal, one [][]float32
		for range n + 1 {
			equal, one = append(equal, []float32{1. / 3, 1. / 3, 1. / 3}), append(one, []float32{1})
		}
		if e, o := health(d, 2, equal, nil), health(d, 2, one, nil); e.Entropy > 1 || o.TopShare > 1 {
			t.Errorf("of %d sentences: entropy %v, top share %v", n+1, e.Entropy, o.TopShare)
		}
	}
	if unasked := health(d, 2, off, nil); !unasked.Healthy() {
		t.Error("without a selector nothing is known")
	}
	for found, want := range map[[2]float64]bool{{.25, .8}: true, {.8, .24}: false, {0, .8}: false} {
		if (&AttentionHealth{Found: found[:]}).Healthy() != want {
			t.Errorf("found %v: healthy is %v", found, !want)
		}
	}
}

// TestHealthiest: training begins anew until the attention is healthy, and of none that is the
// nearest is kept, whichever came last.
func TestHealthiest(t *testing.T) {
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	for name, c := range map[string]struct {
		found    [][]float64
		restarts int
		kept     float64 // the first style's share
		trained  int
	}{
		"at once":                   {[][]float64{{.5, .6}, {.9, .9}}, 3, .5, 1},
		"the second":                {[][]float64{{.9, .1}, {.3, .4}, {.9, .9}}, 3, .3, 2},
		"none, the first nearest":   {[][]float64{{.5, .18}, {.34, .03}, {-.1, .2}}, 2, .5, 3},
		"none, one between nearest": {[][]float64{{.9, -.2}, {.2, .24}, {.24, .1}}, 2, .2, 3},
		"no restarts":               {[][]float64{{.1, .1}, {.9, .9}}, 0, .1, 1},
	} {
		trained := 0
		said.Reset()
		got, err := healthiest(c.restarts, log, func(restart int) (*attendedTraining, error) {
			if restart != trained {
				t.Errorf("%s: restart %d after %d trainings", name, restart, trained)
			}
			trained++
			return &attendedTraining{Health: &AttentionHealth{Found: c.found[restart]}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Health.Found[0] != c.kept || trained != c.trained || got.Health.Restarts != trained-1 {
			t.Errorf("%s: kept %v with %d restarts after %d trainings, want %v after %d",
				name, got.Health.Found, got.Health.Restarts, trained, c.kept, c.trained)
		}
		anew, still := strings.Count(said.String(), "begins anew"), strings.Contains(said.String(), "is still not on style words")
		if anew != trained-1 || still == got.Health.Healthy() {
			t.Errorf("%s: %d trainings, and the log says\n%s", name, trained, &said)
		}
	}
	unasked, err := healthiest(3, log, func(int) (*attendedTraining, error) {
		return &attendedTraining{Health: &AttentionHealth{}}, nil
	})
	if err != nil || unasked.Health.Restarts != 0 {
		t.Errorf("without a selector: %+v, %v", unasked, err)
	}
	cut := errors.New("cut")
	if _, err := healthiest(3, log, func(restart int) (*attendedTraining, error) {
		if restart == 1 {
			return nil, cut
		}
		return &attendedTraining{Health: &AttentionHealth{Found: []float64{0, 0}}}, nil
	}); !errors.Is(err, cut) {
		t.Errorf("a training that fails: %v", err)
	}
}
