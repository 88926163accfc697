package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/smlm"
)

func loadSMLM(dir string) (*smlm.Model, error) {
	return loadModel(dir, smlm.New, func(m *smlm.Model) *nn.Params { return m.Params })
}

// generatorConfig is model.json of SMLM-G.
type generatorConfig struct {
	smlm.Config
	DecoderLayers int `json:"decoder_layers"`
}

func newGenerator(c generatorConfig) *smlm.Generator {
	return smlm.NewGenerator(c.Config, c.DecoderLayers)
}

func loadGenerator(dir string) (*smlm.Generator, error) {
	return loadModel(dir, newGenerator, func(g *smlm.Generator) *nn.Params { return g.Params })
}

// masked returns a split with its masks.
func (t *text) masked(job *plan.Job, split corpus.Split) (smlm.Data, error) {
	d := t.labelled(split)
	masks, err := policy.ReadFor(job.Inputs["mask"], split, t.Text[split])
	return smlm.Data{Labelled: d, Masks: masks}, err
}

// trainDev returns the text, and its training and dev parts with masks.
func trainDev(job *plan.Job) (t *text, train, dev smlm.Data, err error) {
	if t, err = loadText(job); err != nil {
		return
	}
	if train, err = t.masked(job, corpus.Train); err != nil {
		return
	}
	dev, err = t.masked(job, corpus.Dev)
	return
}

func encoderConfig(t *text, s experiment.SMLMSettings) smlm.Config {
	return smlm.Config{
		Vocab: t.vocab.Len(), Layers: s.Layers, Heads: s.Heads, Dim: s.Dim, FF: s.FF, Dropout: s.Dropout,
		ControlCodes: smlm.ControlCodes{NoSource: !s.SourceToken, Cls: s.ClsToken, Shift: s.ShiftTargets}, FrozenEmbedding: !s.TrainEmbeddings,
	}
}

// objective returns what the settings smlm.loss and smlm.reduction ask for; runs has checked the names.
func objective(loss, reduction string) smlm.Objective {
	return smlm.Objective{MaskedOnly: loss == "masked", Codes: loss == "positions", PerSentence: reduction == "sentence"}
}

func trainSMLM(ctx context.Context, job *plan.Job) error {
	s, err := settings[plan.SMLMStage](job)
	if err != nil {
		return err
	}
	t, train, dev, err := trainDev(job)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	m := smlm.New(encoderConfig(t, s.SMLMSettings))
	defer m.Params.Free()
	h, err := m.Train(ctx, train, dev, objective(s.Loss, s.Reduction), r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, plan.TrainResult{
		TrainTokens: tokens(train.IDs), AuthorsWay: m.AuthorsCount(),
	})
}

func trainSMLMG(ctx context.Context, job *plan.Job) error {
	s, err := settings[plan.SMLMGStage](job)
	if err != nil {
		return err
	}
	t, train, dev, err := trainDev(job)
	if err != nil {
		return err
	}
	r := training(job, s.Decoder.Training, s.Seed)
	c := generatorConfig{Config: encoderConfig(t, s.Encoder), DecoderLayers: s.Decoder.Layers}
	g := newGenerator(c)
	defer g.Params.Free()
	h, err := g.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, g.Params, c, h, plan.TrainResult{TrainTokens: tokens(train.IDs)})
}

func trainSMLMFT(ctx context.Context, job *plan.Job) error {
	s, err := settings[plan.SMLMFTStage](job)
	if err != nil {
		return err
	}
	_, train, dev, err := trainDev(job)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	r.MaxSteps = s.MaxSteps
	m, err := loadSMLM(job.Inputs["smlm"])
	if err != nil {
		return err
	}
	defer m.Params.Free()
	m.SetDropout(s.Dropout)
	head := smlm.NewHead(m.Config.Dim, s.HeadLayers)
	defer head.Params.Free()
	h, err := m.Finetune(ctx, head, train, dev, smlm.FinetuneLoss{
		Style: s.LambdaSta, Reconstruct: s.LambdaRec, ReconstructInverse: s.LambdaRecInv, HeadInverse: s.DiscInvWeight,
		IncludeCls: s.IncludeCls, Objective: objective(s.Loss, s.Sentences),
	}, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, plan.TrainResult{TrainTokens: tokens(train.IDs)})
}
