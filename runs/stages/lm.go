package stages

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// LM is the stage that trains the language model for perplexity. This model never trains, selects
// or ranks a transfer model.
const LM stage.Name = "lm"

var lmStage = stage.Definition{
	Name: LM, Version: 3, Trains: true, Inputs: "prepare, vocab",
	Settings: func(p stage.Point) any { return LMSettings{p.FirstSeed(), p.Settings.LM} }, Reads: trainText,
	Files: "a model, for perplexity",
	Run:   onTorch(of(trainLM)),
}

// LMSettings has the keys of [lm].
type LMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.LMSettings
}

// trainLM trains the language model that measures perplexity. It sees only human text: the training
// text of all styles.
func trainLM(ctx context.Context, job *stage.Job, s LMSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train, dev := t.encoded(corpus.Train).IDs, t.encoded(corpus.Dev).IDs
	first := t.vocab.Specials()
	c := lm.Config{First: first, Known: lm.KnownWords(train, first), LMShape: s.LMShape, Dropout: s.Dropout}
	r := training(job, s.Training, s.Seed)
	r.MaxSteps = s.MaxSteps
	m := lm.New(c)
	defer m.Params.Free()
	h, err := m.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train)})
}

// languageModel is a trained language model with its signature.
type languageModel struct {
	*lm.Model
	signature string
}

func loadLM(dir string) (*languageModel, error) {
	m, err := loadModel(dir, lm.New, func(m *lm.Model) *nn.Params { return m.Params })
	if err != nil {
		return nil, err
	}
	var trained TrainResult
	if err := readJSON(dir, "result.json", &trained); err != nil {
		m.Params.Free()
		return nil, err
	}
	return &languageModel{m, m.Signature(math.Exp(trained.DevLoss))}, nil
}

// fluency scores outputs with the language model.
func (m *languageModel) fluency(ctx context.Context, ids [][]int64) (*metrics.Fluency, error) {
	s, err := m.Score(ctx, ids)
	return &metrics.Fluency{LogProb: s.LogProb, Tokens: s.Tokens, Unknown: s.Unknown, Signature: m.signature}, err
}
