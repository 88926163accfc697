package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

func trainDivLSTM(ctx context.Context, job *plan.Job, s kind.DivLSTMSettings) error {
	t, err := loadText(job)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	m := divlstm.New(divlstm.Config{
		Vocab: t.vocab.Len(), Embedding: s.Embedding, Hidden: s.Hidden, Attention: s.Attention,
		Bidirectional: s.Bidirectional, Dropout: s.Dropout, Latent: s.Latent, StartToken: s.StartToken,
	})
	defer m.Params.Free()
	m.TrainAttention(s.TrainAttention)
	train := t.labelled(corpus.Train)
	h, err := m.Train(ctx, train, t.labelled(corpus.Dev), divLSTMLoss(s.DivLSTMSettings), r)
	if err != nil {
		return err
	}
	test, err := m.Validate(ctx, t.labelled(corpus.Test), divLSTMLoss(s.DivLSTMSettings))
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, kind.TrainResult{TrainTokens: tokens(train.IDs), TestAcc: test.Accuracy})
}

func loadDivLSTM(dir string) (*divlstm.Model, error) {
	return loadModel(dir, divlstm.New, func(m *divlstm.Model) *nn.Params { return m.Params })
}

func divLSTMLoss(s experiment.DivLSTMSettings) divlstm.Loss {
	return divlstm.Loss{
		LambdaCon: s.LambdaCon, Reduction: s.Reduction, ConicityForm: s.ConicityForm, ConicityAxis: s.ConicityAxis,
	}
}
