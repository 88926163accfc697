package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// training returns the recipe of a stage's training, whose seed it sets. A precision of "auto" is
// bfloat16 where the device multiplies it in hardware; elsewhere it would be slower.
func training(job *plan.Job, t recipe.Training, seed uint64) nn.Recipe {
	torch.Seed(seed)
	if t.Precision == recipe.Auto {
		t.Precision = recipe.FP32
		if torch.HasBF16() {
			t.Precision = recipe.BF16
		}
	}
	job.Used.Precision = string(t.Precision)
	return nn.Recipe{Training: t, Seed: seed, Scratch: job.Scratch, Progress: job.Progress}
}

// keep writes a trained model of tensors.
func keep(job *plan.Job, p *nn.Params, config any, h *nn.History, r plan.TrainResult) error {
	r.Parameters = p.Count()
	return keepModel(job, p.Save, config, h, r)
}

// keepModel writes a trained model: weights, shape, history and what result.json sums up.
func keepModel(job *plan.Job, save func(path string) error, config any, h *nn.History, r plan.TrainResult) error {
	kept := h.Kept()
	r.Epochs, r.BestEpoch, r.Steps, r.Seconds = len(h.Epochs), kept.Epoch, h.Steps, h.Seconds
	r.DevLoss, r.DevAccuracy, r.Conicity = kept.Dev.Loss, kept.Dev.Accuracy, kept.Dev.Conicity
	if err := save(filepath.Join(job.Dir, "model.safetensors")); err != nil {
		return err
	}
	if err := writeJSON(job.Dir, "model.json", config); err != nil {
		return err
	}
	if err := writeJSON(job.Dir, "history.json", h); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", r)
}

// loadModel makes a model of the shape a stage wrote and fills in its weights.
func loadModel[C, M any](dir string, make func(C) M, params func(M) *nn.Params) (M, error) {
	var c C
	var none M
	if err := readJSON(dir, "model.json", &c); err != nil {
		return none, err
	}
	m := make(c)
	if err := params(m).Load(filepath.Join(dir, "model.safetensors")); err != nil {
		params(m).Free()
		return none, err
	}
	return m, nil
}

func loadClassifier(dir string) (*classifier.Model, error) {
	return loadModel(dir, classifier.New, func(m *classifier.Model) *nn.Params { return m.Params })
}

func loadDivLSTM(dir string) (*divlstm.Model, error) {
	return loadModel(dir, divlstm.New, func(m *divlstm.Model) *nn.Params { return m.Params })
}

func trainClassifier(ctx context.Context, job *plan.Job) error {
	s, err := settings[plan.ClassifierStage](job)
	if err != nil {
		return err
	}
	t, err := loadText(job)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	m := classifier.New(classifier.Config{Vocab: t.vocab.Len(), Embedding: s.Embedding, Hidden: s.Hidden, Dropout: s.Dropout})
	defer m.Params.Free()
	train := t.labelled(corpus.Train)
	h, err := m.Train(ctx, train, t.labelled(corpus.Dev), r)
	if err != nil {
		return err
	}
	test, err := m.Evaluate(ctx, t.labelled(corpus.Test))
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, plan.TrainResult{TrainTokens: tokens(train.IDs), TestAcc: test.Accuracy})
}

func trainDivLSTM(ctx context.Context, job *plan.Job) error {
	s, err := settings[plan.DivLSTMStage](job)
	if err != nil {
		return err
	}
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
	return keep(job, m.Params, m.Config, h, plan.TrainResult{TrainTokens: tokens(train.IDs), TestAcc: test.Accuracy})
}

func divLSTMLoss(s experiment.DivLSTMSettings) divlstm.Loss {
	return divlstm.Loss{
		LambdaCon: s.LambdaCon, Reduction: s.Reduction, ConicityForm: s.ConicityForm, ConicityAxis: s.ConicityAxis,
	}
}
