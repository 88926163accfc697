package divlstm

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// synthetic returns n sentences of 12 words of 10,000.
func synthetic(n int) nn.Labelled {
	rng := rand.New(rand.NewPCG(1, 2))
	var d nn.Labelled
	for i := range n {
		ids := make([]int64, 12)
		for k := range ids {
			ids[k] = int64(corpus.NumSpecial + rng.IntN(10000-corpus.NumSpecial))
		}
		d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, i%2)
	}
	return d
}

// BenchmarkStep is one training step at the authors' size: 128 sentences of 12 words, 10,000 words.
func BenchmarkStep(b *testing.B) {
	for name, bf16 := range map[string]bool{"fp32": false, "bf16": true} {
		b.Run(name, func(b *testing.B) {
			err := torch.Run(func() error {
				torch.Seed(1)
				m := New(Config{Vocab: 10000, Embedding: 300, Hidden: 512, Attention: 512, Bidirectional: true, Dropout: .3})
				defer m.Params.Free()
				d := synthetic(128 * b.N)
				b.ResetTimer()
				_, err := m.Train(context.Background(), d, synthetic(2), Loss{LambdaCon: 1, Reduction: torch.ReduceMean},
					nn.Recipe{Seed: 1, Epochs: 1, LR: 1e-3, Beta1: .5, Beta2: .999, BatchTokens: 128 * 12, BF16: bf16})
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
