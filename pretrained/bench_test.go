package pretrained

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
)

// miniLM is the shape of all-MiniLM-L6-v2 over the words of Yelp.
var miniLM = MaskedConfig{WordsConfig{
	Vocab: 8609, SMLMShape: recipe.SMLMShape{Layers: 6, Heads: 12, Dim: 384, FF: 1536},
	PretrainedShape: recipe.PretrainedShape{Embedding: 384, Positions: 512, Activation: recipe.GELU, Eps: 1e-12},
}}

// BenchmarkLikelihood asks for the pseudo log likelihood of 1,000 sentences of 1 to 17 words.
func BenchmarkLikelihood(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	ids := make([][]int64, 1000)
	for i := range ids {
		for range 1 + rng.IntN(17) {
			ids[i] = append(ids[i], corpus.NumSpecial+rng.Int64N(8600))
		}
	}
	parity.OnTorch(b, func() error {
		m := NewMaskedWords(miniLM)
		defer m.Params.Free()
		for b.Loop() {
			if _, err := m.Likelihood(context.Background(), ids); err != nil {
				return err
			}
		}
		return nil
	})
}
