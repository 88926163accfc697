package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// stylesSettings are those of a judge of style that is a pretrained encoder.
type stylesSettings struct {
	Seed uint64 `json:"seed"`
	experiment.PretrainedStart
	recipe.Training
}

// trainStyles trains and keeps an encoder that tells the styles apart, and mixed texts where it is
// to know them.
func trainStyles(
	ctx context.Context, job *stage.Job, s stylesSettings, t *text, mixed bool, train, dev corpus.Encoded,
) error {
	f, c, err := t.encoderOf(job, s.PretrainedStart, s.Dropout)
	if err != nil {
		return err
	}
	of := pretrained.StylesConfig{WordsConfig: c, Classes: t.classes(mixed), Mixed: mixed}
	r := training(job, s.Training, s.Seed)
	m := pretrained.NewStyles(of)
	defer m.Params.Free()
	if err := m.Load(f, t.vocab, t.Labels, s.LayerDecay); err != nil {
		return err
	}
	h, err := m.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

// classifying tells the styles of sentences apart.
type classifying interface {
	Predict(ctx context.Context, ids [][]int64) ([]int, error)
	Evaluate(ctx context.Context, d corpus.Encoded) (nn.Validation, error)
}

// styleModel is a trained classifier of styles, of whatever kind.
type styleModel struct {
	classifying
	free func()
}

// isEncoder tells whether the model in a folder is a pretrained encoder: it alone has positions.
func isEncoder(dir string) (bool, error) {
	var shape struct {
		Positions int `json:"positions"`
	}
	err := files.ReadJSON(filepath.Join(dir, "model.json"), &shape)
	return shape.Positions > 0, err
}

func loadStyles(dir string) (styleModel, error) {
	m, err := loadModel(dir, pretrained.NewStyles, func(m *pretrained.Styles) *nn.Params { return m.Params })
	if err != nil {
		return styleModel{}, err
	}
	return styleModel{m, m.Params.Free}, nil
}
