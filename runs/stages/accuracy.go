package stages

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Accuracy is the stage that measures a classifier on the test sentences, which its training does
// not see.
const Accuracy stage.Name = "accuracy"

var accuracyStage = stage.Definition{
	Name: Accuracy, Version: 1, Scope: stage.OfModel | stage.OfMethod,
	Inputs:   "test, vocab, model (any classifier or `divlstm`)",
	Settings: func(stage.Point) any { return AccuracySettings{} },
	Reads: func(p stage.Point) stage.Inputs {
		return testText(p).And(stage.Inputs{"model": at(stage.Name(p.Model), p)})
	},
	Files: "`result.json`: `test_accuracy` (percent)",
	Run:   onTorch(of(accuracy)),
}

// AccuracySettings is empty: everything that matters is in the inputs.
type AccuracySettings struct{}

// AccuracyResult is result.json.
type AccuracyResult struct {
	TestAcc float64 `json:"test_accuracy"` // percent
}

// accuracy measures the accuracy of a trained classifier on the test sentences.
func accuracy(ctx context.Context, job *stage.Job, _ AccuracySettings) error {
	t, err := loadText(job, corpus.Test)
	if err != nil {
		return err
	}
	percent, err := accuracyOf(ctx, job.Inputs["model"], t.encoded(corpus.Test))
	if err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", AccuracyResult{TestAcc: percent})
}

// accuracyOf returns the accuracy of the classifier in a stage's folder, in percent.
func accuracyOf(ctx context.Context, dir string, d corpus.Encoded) (float64, error) {
	trained, err := stage.ReadRecord(filepath.Join(dir, "stage.json"))
	if err != nil {
		return 0, err
	}
	switch trained.Name {
	case Classifier:
		m, err := loadClassifier(dir)
		if err != nil {
			return 0, err
		}
		defer m.Params.Free()
		v, err := m.Evaluate(ctx, d)
		return v.Accuracy, err
	case FastText:
		m, err := loadFastText(dir)
		if err != nil {
			return 0, err
		}
		return m.Evaluate(d).Accuracy, nil
	case UnseenCNN:
		m, err := loadCNN(dir)
		if err != nil {
			return 0, err
		}
		defer m.Params.Free()
		v, err := m.Evaluate(ctx, d)
		return v.Accuracy, err
	case DivLSTM:
		m, err := loadDivLSTM(dir)
		if err != nil {
			return 0, err
		}
		defer m.Params.Free()
		v, err := m.Validate(ctx, d, divlstm.Loss{})
		return v.Accuracy, err
	}
	return 0, fmt.Errorf("%s is not a classifier", trained.Name)
}
