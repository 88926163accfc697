package classifier

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// BenchmarkFastTextEpoch trains one epoch on 266,000 sentences of 9 words of 10,000, as Yelp's
// training set has about, with frequencies that fall as in text.
func BenchmarkFastTextEpoch(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := rand.NewZipf(rng, 1.1, 5, 9990)
	var d corpus.Encoded
	for i := range 266_000 {
		row := make([]int64, 9)
		for k := range row {
			row[k] = int64(9 + words.Uint64())
		}
		d.IDs, d.Styles = append(d.IDs, row), append(d.Styles, i%2)
	}
	m := NewFastText(FastTextConfig{
		Vocab: 10_000, FastTextShape: recipe.FastTextShape{Dim: 100, Ngrams: 2, Buckets: 200_000},
	}, 1)
	for b.Loop() {
		if _, err := m.Train(context.Background(), d, corpus.Encoded{}, FastTextRecipe{Epochs: 1, LR: .1}); err != nil {
			b.Fatal(err)
		}
	}
}
