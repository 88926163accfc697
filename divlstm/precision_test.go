package divlstm

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestAttentionIsFloat32: products may be bfloat16, what is normalised is not.
func TestAttentionIsFloat32(t *testing.T) {
	parity.OnTorch(t, func() error {
		for _, c := range []Config{authors, {
			Vocab: 30, DivLSTMShape: recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4},
			DivLSTMInputs: recipe.DivLSTMInputs{Latent: 3},
		}} {
			m := New(c)
			defer m.Params.Free()
			torch.Autocast(true, func() {
				ids := torch.FromInts([]int64{4, 5, 6, 7}, 2, 2)
				if got := m.Forward(ids, true).Attention.DType(); got != torch.Float {
					t.Errorf("%+v: attention is %v", c, got)
				}
				if got := m.Inputs(ids, true).DType(); got != torch.Float {
					t.Errorf("%+v: what enters the LSTM is %v", c, got)
				}
			})
		}
		return nil
	})
}

func TestPrecision(t *testing.T) {
	parity.Precision(t, func(d corpus.Encoded, r nn.Recipe) (*nn.History, error) {
		m := freshOf(authors)
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, Loss{
			LambdaCon: 1, DivLSTMLoss: recipe.DivLSTMLoss{Reduction: recipe.Mean},
		}, r)
	})
}
