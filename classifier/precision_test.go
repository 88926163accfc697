package classifier

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
)

func TestPrecision(t *testing.T) {
	parity.Precision(t, func(d corpus.Encoded, r nn.Recipe) (*nn.History, error) {
		m := fresh()
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, r)
	})
}

func TestCNNPrecision(t *testing.T) {
	parity.Precision(t, func(d corpus.Encoded, r nn.Recipe) (*nn.History, error) {
		m := freshCNN()
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, r)
	})
}
