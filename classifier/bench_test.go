package classifier

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// BenchmarkPredict classifies 1,000 sentences of 1 to 17 words, as the scoring of a test set does.
func BenchmarkPredict(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := rand.NewZipf(rng, 1.1, 5, 8599)
	ids := make([][]int64, 1000)
	for i := range ids {
		for range 1 + rng.IntN(17) {
			ids[i] = append(ids[i], corpus.NumSpecial+int64(words.Uint64()))
		}
	}
	parity.OnTorch(b, func() error {
		m := NewBiLSTM(BiLSTMConfig{Vocab: 9000, BiLSTMShape: recipe.BiLSTMShape{Embedding: 300, Hidden: 512}})
		defer m.Params.Free()
		for b.Loop() {
			if _, err := m.Predict(context.Background(), ids); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkCNNLogProbs scores 10,000 sentences of 10 words on one core.
func BenchmarkCNNLogProbs(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	ids := make([][]int64, 10_000)
	for i := range ids {
		for range 10 {
			ids[i] = append(ids[i], corpus.NumSpecial+rng.Int64N(9000))
		}
	}
	parity.OnTorch(b, func() error {
		defer torch.SetThreads(torch.Threads())
		torch.SetThreads(1)
		m := NewCNN(guideShape(10_000))
		defer m.Params.Free()
		for b.Loop() {
			if _, err := m.LogProbs(context.Background(), ids); err != nil {
				return err
			}
		}
		return nil
	})
}

func guideShape(vocab int) CNNConfig {
	return CNNConfig{
		Vocab:    vocab,
		CNNShape: recipe.CNNShape{Embedding: 100, Filters: 100, Widths: []int{1, 2, 3, 4}, WordDropout: .1},
		Dropout:  .5,
	}
}

// BenchmarkFastTextEpoch trains one epoch on 266,000 sentences of 9 words, with a vocabulary of
// 10,000 words. Yelp's training set has about this size. The word frequencies fall as in real text.
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
