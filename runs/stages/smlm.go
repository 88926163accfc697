package stages

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// SMLM is the stage that trains the Transformer encoder that fills masked words.
const SMLM stage.Name = "smlm"

var smlmStage = stage.Definition{
	Name: SMLM, Version: 5, Trains: true, Scope: stage.OfMethod,
	Inputs: "prepare, vocab, mask (attribution instead, if `drawn_share` is set), [encoder]",
	Settings: func(p stage.Point) any {
		m := p.Settings.SMLM
		m.Models, m.Decoding, m.DrawnShare = nil, nil, drawnShare(p)
		return SMLMSettings{p.Seed, started(m)}
	},
	Reads: func(p stage.Point) stage.Inputs {
		in := maskedText(p)
		if drawnShare(p) > 0 {
			in = trainText(p).And(stage.Inputs{"attribution": at(Attribution, p)})
		}
		return in.And(encoderOf(p.Settings.SMLM.Pretrained, p))
	},
	Files: "a model",
	Run:   onTorch(of(trainSMLM)),
}

// drawnShare returns the largest share of a sentence's words that training masks
// (smlm.drawn_share). If this setting is 0 and the masks are chosen only after the training,
// drawnShare returns a share with which the model suits all the masks.
func drawnShare(p stage.Point) float64 {
	const suitsAll = 0.6
	if masksAreChosen(p) {
		return cmp.Or(p.Settings.SMLM.DrawnShare, suitsAll)
	}
	return p.Settings.SMLM.DrawnShare
}

// SMLMSettings has the keys of the table [smlm], except "models" and "decoding", which do not
// affect training.
type SMLMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.SMLMSettings
}

// maskedText names the inputs on which a transfer model is trained: sentences and their masks.
func maskedText(p stage.Point) stage.Inputs {
	return trainText(p).And(stage.Inputs{"mask": at(Mask, p)})
}

// The function started sets the settings that have no effect to zero. If the encoder starts from a
// pretrained folder, the folder determines the shape, and the folder's content is an input of the
// stage.
func started(m experiment.SMLMSettings) experiment.SMLMSettings {
	if m.Pretrained != "" {
		m.SMLMShape, m.Pretrained = recipe.SMLMShape{}, ""
	}
	return m
}

// SMLMG is the stage that trains SMLM-G, an encoder with an autoregressive decoder.
const SMLMG stage.Name = "smlm-g"

var smlmGStage = stage.Definition{
	Name: SMLMG, Version: 3, Trains: true, Scope: stage.OfMethod, Inputs: "prepare, vocab, mask, [encoder]",
	Settings: func(p stage.Point) any {
		e := p.Settings.SMLM
		return smlmGSettings{Seed: p.Seed, Decoder: p.Settings.Decoder, Encoder: started(experiment.SMLMSettings{
			Training: recipe.Training{Dropout: e.Dropout}, SMLMShape: e.SMLMShape, ControlCodes: e.ControlCodes,
			Pretrained: e.Pretrained,
		})}
	},
	Reads: func(p stage.Point) stage.Inputs { return maskedText(p).And(encoderOf(p.Settings.SMLM.Pretrained, p)) },
	Files: "a model",
	Run:   onTorch(of(trainSMLMG)),
}

// smlmGSettings has the keys of the table [decoder], and those keys of the table [smlm] that matter
// for SMLM-G.
type smlmGSettings struct {
	Seed uint64 `json:"seed"`
	// Encoder has the shape and the dropout of encoder and decoder, the control codes, and the
	// encoder's pretrained start. Its other fields are zero.
	Encoder experiment.SMLMSettings `json:"encoder"`
	// Decoder has the number of decoder layers, and the training settings of encoder and decoder.
	// The dropout is zero here, because it is in Encoder.
	Decoder experiment.DecoderSettings `json:"decoder"`
}

// InPrecision returns the training precision in the settings.
func (s smlmGSettings) InPrecision() string { return s.Decoder.InPrecision() }

// SMLMFT is the stage that trains SMLM-FT: SMLM fine-tuned against a discriminator.
const SMLMFT stage.Name = "smlm-ft"

var smlmFTStage = stage.Definition{
	Name: SMLMFT, Version: 4, Trains: true, Scope: stage.OfMethod, Inputs: "prepare, vocab, mask, smlm",
	Settings: func(p stage.Point) any {
		return SMLMFTSettings{p.Seed, p.Settings.Finetune, p.Settings.SMLM.Objective, p.Data().Chosen()}
	},
	Reads: func(p stage.Point) stage.Inputs { return maskedText(p).And(stage.Inputs{"smlm": at(SMLM, p)}) },
	Files: "a model",
	Run:   onTorch(of(trainSMLMFT)),
}

// SMLMFTSettings has the keys of the table [finetune] and the objective from the table [smlm].
type SMLMFTSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FinetuneSettings
	recipe.Objective // the SMLM's objective, for reconstructions
	// Directions are the trained directions. If there are none, all directions are trained.
	Directions []corpus.Direction `json:"directions,omitempty"`
}

func loadSMLM(dir string) (*smlm.Model, error) {
	return loadModel(dir, smlm.New, func(m *smlm.Model) *nn.Params { return m.Params })
}

func loadGenerator(dir string) (*smlm.Generator, error) {
	g, err := loadModel(dir, smlm.NewGenerator, func(g *smlm.Generator) *nn.Params { return g.Params })
	if err == nil && g.Config.DecoderLayers == 0 {
		g.Params.Free()
		return nil, userr.New(userr.BadInput, "the model in %q has decoder_layers 0: an SMLM-G has 1 or more", dir)
	}
	return g, err
}

// The method "masked" returns the sentences of a split with their masks.
func (t *text) masked(job *stage.Job, split corpus.Split) (corpus.Encoded, error) {
	d := t.encoded(split)
	_, input := inputsOf(split)
	var err error
	d.Masks, err = policy.ReadSplitMasks(job.Inputs[input], split, t.Text[split])
	return d, err
}

// The method "scored" returns the sentences of a split with the scores of their words.
func (t *text) scored(job *stage.Job, split corpus.Split) (corpus.Encoded, error) {
	d := t.encoded(split)
	file, err := scoresOf(job.Inputs["attribution"])
	if err != nil {
		return d, err
	}
	for style := range t.Labels {
		d.Scores = append(d.Scores, file.Rows(split.String(), style)...)
	}
	return d, nil
}

// The method "asked" returns the sentences of a split that are to be rewritten, direction after
// direction. The result d has their ids and masks. The result "words" has their words.
func (t *text) asked(job *stage.Job, split corpus.Split, directions []corpus.Direction) (
	d corpus.Encoded, words [][]string, err error,
) {
	d, err = t.masked(job, split)
	return d.ToRewrite(directions), slices.Concat(sources(t.Dataset, split, directions)...), err
}

// trainDev returns the text, and its training and dev sentences with masks.
func trainDev(job *stage.Job) (t *text, train, dev corpus.Encoded, err error) {
	if t, err = loadText(job, corpus.Train, corpus.Dev); err != nil {
		return
	}
	read := t.masked
	if _, drawn := job.Inputs["attribution"]; drawn {
		read = t.scored
	}
	if train, err = read(job, corpus.Train); err != nil {
		return
	}
	dev, err = read(job, corpus.Dev)
	return
}

// smlmConfig returns the shape of a model, and the pretrained folder from which the training
// starts. The folder is nil if training starts from scratch.
func smlmConfig(job *stage.Job, t *text, s experiment.SMLMSettings) (smlm.Config, *folder.Folder, error) {
	c := smlm.Config{
		Vocab: t.vocab.Len(), Styles: t.classes(), SMLMShape: s.SMLMShape, ControlCodes: s.ControlCodes,
		Dropout: s.Dropout,
	}
	dir, from := job.Inputs["encoder"]
	if !from {
		return c, nil, nil
	}
	f, err := folder.Open(dir)
	if err != nil {
		return c, nil, err
	}
	c.SMLMShape, c.Pretrained = f.Config.SMLMShape, &f.Config.PretrainedShape
	return c, f, nil
}

// startFrom gives a new model the weights of the folder f, unless f is nil.
func startFrom(m interface {
	StartFrom(f *folder.Folder, v *corpus.Vocab, labels corpus.Styles) error
}, f *folder.Folder, t *text,
) error {
	if f == nil {
		return nil
	}
	return m.StartFrom(f, t.vocab, t.Labels)
}

func trainSMLM(ctx context.Context, job *stage.Job, s SMLMSettings) error {
	t, train, dev, err := trainDev(job)
	if err != nil {
		return err
	}
	c, from, err := smlmConfig(job, t, s.SMLMSettings)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	warnOfMemory(job, c, c.Layers, r.Training, tokens(train.IDs))
	m := smlm.New(c)
	defer m.Params.Free()
	if err := startFrom(m, from, t); err != nil {
		return err
	}
	h, err := m.Train(ctx, train, dev, s.Objective, s.VariedMasks, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{
		TrainTokens: tokens(train.IDs),
	})
}

func trainSMLMG(ctx context.Context, job *stage.Job, s smlmGSettings) error {
	t, train, dev, err := trainDev(job)
	if err != nil {
		return err
	}
	c, from, err := smlmConfig(job, t, s.Encoder)
	if err != nil {
		return err
	}
	c.DecoderLayers = s.Decoder.Layers
	r := training(job, s.Decoder.Training, s.Seed)
	decoder := (3*c.DecoderLayers + 1) / 2 // a decoder layer is as large as one and a half encoder layers
	warnOfMemory(job, c, c.Layers+decoder, r.Training, tokens(train.IDs))
	g := smlm.NewGenerator(c)
	defer g.Params.Free()
	if err := startFrom(g, from, t); err != nil {
		return err
	}
	h, err := g.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, g.Params, c, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

func trainSMLMFT(ctx context.Context, job *stage.Job, s SMLMFTSettings) error {
	t, train, dev, err := trainDev(job)
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
	twice := r.Training
	twice.BatchTokens *= 2 // a training step reads its sentences twice
	warnOfMemory(job, m.Config, m.Config.Layers, twice, tokens(train.IDs))
	m.SetDropout(s.Dropout)
	train = s.training(train, t.Labels)
	h, err := finetune(ctx, m, t.Labels.N(), train, dev, s, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

// training returns the sentences for fine-tuning. The style head learns from the sentences of every
// style, even of styles that are not to be rewritten.
func (s SMLMFTSettings) training(train corpus.Encoded, styles corpus.Styles) corpus.Encoded {
	return train.ToRewriteAndRest(directionsOr(s.Directions, styles))
}

func finetune(
	ctx context.Context, m *smlm.Model, styles int, train, dev corpus.Encoded, s SMLMFTSettings,
	r nn.Recipe,
) (*nn.History, error) {
	loss := smlm.FinetuneLoss{Finetune: s.Finetune, Objective: s.Objective}
	head := smlm.NewHead(m.Config.Dim, styles)
	defer head.Params.Free()
	return m.Finetune(ctx, head, train, dev, loss, r)
}
