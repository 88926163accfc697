package divlstm

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
)

// BenchmarkStep runs one training step at the model size of the authors' code.
func BenchmarkStep(b *testing.B) {
	parity.BenchStep(b, func(vocab int) (func(train, dev corpus.Encoded, r nn.Recipe) error, func()) {
		m := New(Config{
			Vocab:        vocab,
			DivLSTMShape: recipe.DivLSTMShape{Embedding: 300, Hidden: 512, Attention: 512, Bidirectional: true},
			Dropout:      .3,
		})
		return func(train, dev corpus.Encoded, r nn.Recipe) error {
			_, err := m.Train(context.Background(), train, dev, Loss{
				LambdaCon: 1,
			}, r)
			return err
		}, m.Params.Free
	})
}
