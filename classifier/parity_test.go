package classifier

import (
	"context"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestParity compares the Bi-LSTM with the same model in PyTorch: logits, gradients and ten
// training steps (testdata/parity/make.py).
func TestParity(t *testing.T) {
	r := testkit.OpenRecorded(t, "classifier")
	parity.OnTorch(t, func() error {
		m := NewBiLSTM(BiLSTMConfig{Vocab: 23, BiLSTMShape: recipe.BiLSTMShape{Embedding: 8, Hidden: 6}})
		defer m.Params.Free()
		return compare(r, m.Params, m.Logits, m.Train)
	})
}

// TestCNNParity does the same as TestParity for the CNN. It also tests sentences of one word and,
// with three classes, log p of the classes. The PyTorch model computes the filters by Conv2d.
func TestCNNParity(t *testing.T) {
	shape := recipe.CNNShape{Embedding: 8, Filters: 5, Widths: []int{1, 2, 3}}
	for name, c := range map[string]CNNConfig{
		"cnn":       {Vocab: 23, CNNShape: shape},
		"cnn_three": {Vocab: 23, CNNShape: shape, Classes: 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := testkit.OpenRecorded(t, name)
			parity.OnTorch(t, func() error {
				m := NewCNN(c)
				defer m.Params.Free()
				if err := m.Params.Load(r.Path); err != nil {
					return err
				}
				rows := r.Rows("input.ids")
				r.Near("expect.one_word", m.Logits(nn.Stack(rows, parity.All).Narrow(1, 0, 1), false).Floats())
				if c.Classes == 3 {
					logp, err := m.LogProbs(t.Context(), rows)
					if err != nil {
						return err
					}
					var got []float32
					for _, p := range slices.Concat(logp...) {
						got = append(got, float32(p))
					}
					r.Near("expect.log_p", got)
				}
				return compare(r, m.Params, m.Logits, m.Train)
			})
		})
	}
}

// compare loads the recorded weights and compares the model's results with the recorded ones.
func compare(
	r *testkit.Recorded, p *nn.Params, logitsOf func(ids *torch.Tensor, train bool) *torch.Tensor,
	train func(ctx context.Context, train, dev corpus.Encoded, r nn.Recipe) (*nn.History, error),
) error {
	d := parity.Sentences(r)
	if err := p.Load(r.Path); err != nil {
		return err
	}
	logits := logitsOf(nn.Stack(d.IDs, parity.All), true)
	r.Near("expect.logits", logits.Floats())
	nn.CrossEntropy(logits, d.Styles, parity.All, torch.ReduceMean).Backward()
	parity.Grads(r, p)

	h, err := train(context.Background(), d, d, parity.Ten)
	if err != nil {
		return err
	}
	parity.Losses(r, "loss.total", h)
	parity.Weights(r, p)
	return nil
}

func TestPrecision(t *testing.T) {
	parity.Precision(t, func(d corpus.Encoded, r nn.Recipe) (*nn.History, error) {
		m := fresh()
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, r)
	})
}

func TestCNNPrecision(t *testing.T) {
	parity.Precision(t, func(d corpus.Encoded, r nn.Recipe) (*nn.History, error) {
		m := freshCNN(0)
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, r)
	})
}
