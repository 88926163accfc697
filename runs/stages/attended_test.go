package stages

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TestAttentionHealth: attention on the words that carry style is healthy, attention on the others
// is not; entropy and the largest share are those of the numbers given.
func TestAttentionHealth(t *testing.T) {
	var d nn.Labelled
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
	healthy, ill := Health(d, on, selector), Health(d, off, selector)
	if *healthy.Found != [2]float64{1, 1} || !healthy.Healthy() {
		t.Errorf("attention on style words: %+v", healthy)
	}
	if max(ill.Found[0], ill.Found[1]) > .1 || ill.Healthy() {
		t.Errorf("attention on others: %+v", ill)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	if want := 1.5 * math.Ln2 / math.Log(3); !near(healthy.Entropy, want) || !near(healthy.TopShare, .5) {
		t.Errorf("entropy %v, want %v; top share %v", healthy.Entropy, want, healthy.TopShare)
	}
	if unasked := Health(d, off, nil); !unasked.Healthy() {
		t.Error("without a selector nothing is known")
	}
	for found, want := range map[[2]float64]bool{{.25, .8}: true, {.8, .24}: false, {0, .8}: false} {
		if (&AttentionHealth{Found: &found}).Healthy() != want {
			t.Errorf("found %v: healthy is %v", found, !want)
		}
	}
}
