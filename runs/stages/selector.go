package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Selector is the pretrained encoder that judges dev outputs in the place of the bag of n-grams. It
// measures, guides and writes nothing.
const Selector stage.Name = "selector"

var selectorStage = stage.Definition{
	Name: Selector, Version: 1, Trains: true, Inputs: "prepare, vocab, encoder",
	Files: "a model",
	Run:   onTorch(of(trainSelector)),
}

// NewSelector returns the settings that matter to the encoder that selects.
func NewSelector(s *experiment.Settings, seed uint64) stylesSettings {
	return stylesSettings{seed, s.Selector.PretrainedStart.Needed(), s.Selector.Training}
}

// trainSelector fits it on human text.
func trainSelector(ctx context.Context, job *stage.Job, s stylesSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	return trainStyles(ctx, job, s, t, false, t.encoded(corpus.Train), t.encoded(corpus.Dev))
}
