package divlstm

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

func TestPrecision(t *testing.T) {
	parity.Precision(t, func(d nn.Labelled, r nn.Recipe) (*nn.History, error) {
		m := freshOf(authors)
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, Loss{LambdaCon: 1, Reduction: torch.ReduceMean}, r)
	})
}
