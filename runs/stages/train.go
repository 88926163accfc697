package stages

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs"
)

// recipe turns the settings of a training into nn's.
func recipe(job *runs.Job, s runs.TrainSettings, seed uint64) nn.Recipe {
	torch.Seed(seed)
	return nn.Recipe{
		Seed: seed, Epochs: s.Epochs, Patience: s.Patience, LR: s.LR, Beta1: s.Beta1, Beta2: s.Beta2, Warmup: s.Warmup, Clip: s.Clip,
		BatchTokens: s.BatchTokens, BF16: useBF16(s.Precision), Scratch: job.Scratch, Progress: job.Progress,
	}
}

// useBF16 resolves a precision: "auto" is bfloat16 where the CPU multiplies it in hardware; elsewhere it would be slower.
func useBF16(precision string) bool {
	return precision == "bf16" || precision == "auto" && torch.HasBF16()
}

// keep writes a trained model: weights, shape, history and what result.json sums up.
func keep(job *runs.Job, p *nn.Params, config any, h *nn.History, r runs.TrainResult) error {
	kept := h.Kept()
	r.Parameters, r.Epochs, r.BestEpoch, r.Steps, r.Seconds = p.Count(), len(h.Epochs), kept.Epoch, h.Steps, h.Seconds
	r.DevLoss, r.DevAccuracy, r.Conicity = kept.Dev.Loss, kept.Dev.Accuracy, kept.Dev.Conicity
	if err := p.Save(filepath.Join(job.Dir, "model.safetensors")); err != nil {
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

func trainClassifier(ctx context.Context, job *runs.Job) error {
	s, err := settings[runs.ClassifierStage](job)
	if err != nil {
		return err
	}
	t, err := loadText(job)
	if err != nil {
		return err
	}
	r := recipe(job, s.TrainSettings, s.Seed)
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
	return keep(job, m.Params, m.Config, h, runs.TrainResult{TrainTokens: tokens(train.IDs), TestAcc: test.Accuracy})
}

func trainDivLSTM(ctx context.Context, job *runs.Job) error {
	s, err := settings[runs.DivLSTMStage](job)
	if err != nil {
		return err
	}
	t, err := loadText(job)
	if err != nil {
		return err
	}
	loss := divlstm.Loss{LambdaCon: s.LambdaCon}
	switch s.Reduction {
	case "mean":
		loss.Reduction = torch.ReduceMean
	case "sum":
		loss.Reduction = torch.ReduceSum
	default:
		return fmt.Errorf("unknown reduction %q", s.Reduction)
	}
	r := recipe(job, s.TrainSettings, s.Seed)
	m := divlstm.New(divlstm.Config{
		Vocab: t.vocab.Len(), Embedding: s.Embedding, Hidden: s.Hidden, Attention: s.Attention,
		Bidirectional: s.Bidirectional, Dropout: s.Dropout,
	})
	defer m.Params.Free()
	train := t.labelled(corpus.Train)
	h, err := m.Train(ctx, train, t.labelled(corpus.Dev), loss, r)
	if err != nil {
		return err
	}
	test, err := m.Evaluate(ctx, t.labelled(corpus.Test), s.LambdaCon)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, runs.TrainResult{TrainTokens: tokens(train.IDs), TestAcc: test.Accuracy})
}
