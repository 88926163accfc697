package stages

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// MaskedLM is the masked language model that says how fluent dev outputs are. It writes nothing.
const MaskedLM stage.Name = "masked-lm"

var maskedLMStage = stage.Definition{
	Name: MaskedLM, Version: 1, Trains: true, Inputs: "prepare, vocab, encoder",
	Files: "a model over the vocabulary, which starts from the encoder",
	Run:   onTorch(of(trainMaskedLM)),
}

// maskedLMSettings is what [fluency] says of it; the folder is an input.
type maskedLMSettings struct {
	Seed        uint64  `json:"seed"`
	MaskedShare float64 `json:"masked_share"`
	experiment.PretrainedStart
	recipe.Training
}

// NewMaskedLM returns the settings that matter to the masked language model.
func NewMaskedLM(s *experiment.Settings, seed uint64) maskedLMSettings {
	f := s.Fluency
	f.Pretrained = ""
	return maskedLMSettings{seed, f.MaskedShare, f.PretrainedStart, f.Training}
}

// trainMaskedLM fits it on human text alone: the training text of all styles.
func trainMaskedLM(ctx context.Context, job *stage.Job, s maskedLMSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	f, c, err := t.encoderOf(job, s.PretrainedStart, s.Dropout)
	if err != nil {
		return err
	}
	train, dev := t.encoded(corpus.Train).IDs, t.encoded(corpus.Dev).IDs
	r := training(job, s.Training, s.Seed)
	m := pretrained.NewMaskedWords(pretrained.MaskedConfig{WordsConfig: c})
	defer m.Params.Free()
	if err := m.Load(f, t.vocab, t.Labels, train, s.LayerDecay); err != nil {
		return err
	}
	h, err := m.Train(ctx, train, dev, s.MaskedShare, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train)})
}

// encoderOf returns the folder that a judge starts from, and the shape of its encoder over the
// words of a text.
func (t *text) encoderOf(job *stage.Job, s experiment.PretrainedStart, dropout float64) (
	f *folder.Folder, c pretrained.WordsConfig, err error,
) {
	if f, err = folder.Open(job.Inputs["encoder"]); err != nil {
		return nil, c, err
	}
	c = pretrained.ConfigOf(f.Config, t.vocab.Len(), s.PretrainedLayers, dropout)
	return f, c, c.Check()
}

// maskedModel is a trained masked language model, and the line that says which.
type maskedModel struct {
	*pretrained.MaskedWords
	signature string
}

func loadMaskedLM(dir string) (*maskedModel, error) {
	m, err := loadModel(dir, pretrained.NewMaskedWords, func(m *pretrained.MaskedWords) *nn.Params { return m.Params })
	if err != nil {
		return nil, err
	}
	var trained TrainResult
	if err := readJSON(dir, "result.json", &trained); err != nil {
		m.Params.Free()
		return nil, err
	}
	id := filepath.Base(dir)
	return &maskedModel{m, fmt.Sprintf("masked-lm:%s|layers:%d|d:%d|dev:%.2f|trained:human-train|of:known-words|agg:corpus|"+
		"version:1", id[:min(8, len(id))], m.Config.Layers, m.Config.Dim, math.Exp(trained.DevLoss))}, nil
}

// fluency asks for the pseudo log likelihood of the outputs of one direction.
func (m *maskedModel) fluency(ctx context.Context, ids [][]int64) (*metrics.PseudoFluency, error) {
	l, err := m.Likelihood(ctx, ids)
	return &metrics.PseudoFluency{LogProb: l.LogProb, Words: l.Words, Signature: m.signature}, err
}
