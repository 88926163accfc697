package lm

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// synthetic returns n sentences of 9 words from a vocabulary of 8,600 words. Yelp has about the
// same sentence length and vocabulary. The words follow a Zipf distribution, as in real text.
func synthetic(n int) [][]int64 {
	rng := rand.New(rand.NewPCG(1, 1))
	words := rand.NewZipf(rng, 1.1, 5, 8599)
	ids := make([][]int64, n)
	for i := range ids {
		ids[i] = make([]int64, 9)
		for k := range ids[i] {
			ids[i][k] = int64(9 + words.Uint64())
		}
	}
	return ids
}

// bench runs fn with a model of the default shape.
func bench(b *testing.B, fn func(m *Model) error) {
	err := torch.Run(func() error {
		torch.Seed(1)
		m := New(Config{
			First: 9, Known: 8600, LMShape: recipe.LMShape{Embedding: 128, Hidden: 256}, Dropout: .1,
		})
		defer m.Params.Free()
		return fn(m)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkScore scores 1,000 sentences, which have 10,000 tokens.
func BenchmarkScore(b *testing.B) {
	bench(b, func(m *Model) error {
		ids := synthetic(1000)
		for b.Loop() {
			if _, err := m.Score(context.Background(), ids); err != nil {
				return err
			}
		}
		return nil
	})
}
