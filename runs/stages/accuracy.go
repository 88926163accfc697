package stages

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Accuracy is the stage that measures a classifier on the test sentences, which the classifier has
// not seen in training.
const Accuracy stage.Name = "accuracy"

var accuracyStage = stage.Definition{
	Name: Accuracy, Version: 1, Scope: stage.OfModel | stage.OfMethod,
	Inputs: "test, vocab, model (any classifier or `divlstm`), [unseen] (for a warning)",
	Reads: func(p stage.Point) stage.Inputs {
		in := testText(p).And(stage.Inputs{"model": at(stage.Name(p.Model), p)})
		if p.Model == string(UnseenCNN) {
			in["unseen"] = at(Unseen, p)
		}
		return in
	},
	Shown: accuracyShown, Records: accuracyRecords,
	Files: "`result.json`: `test_accuracy` (percent)",
	Run:   onTorch(of(accuracy)),
}

// AccuracyResult is the content of result.json.
type AccuracyResult struct {
	TestAcc float64 `json:"test_accuracy"` // percent
}

// accuracyShown returns a stage.Point for each classifier that tables show or that measures
// outputs.
func accuracyShown(p stage.Point) (shown []stage.Point) {
	judges := len(p.Settings.SMLM.Models) > 0 || p.Study.Experiment.Report.ShowsSystems()
	add := func(name stage.Name, q stage.Point) {
		q.Model = string(name)
		shown = append(shown, q)
	}
	add(Classifier, p)
	add(FastText, p)
	if judges && p.Data().Unseen != nil {
		add(UnseenCNN, p)
	}
	for _, mask := range p.Masks() {
		add(DivLSTM, mask)
	}
	return shown
}

// accuracyRecords returns a record with the accuracy of the classifier. It returns none if the
// classifier is not trained yet.
func accuracyRecords(f stage.Finished) ([]*report.Record, error) {
	model := f.Input("model")
	if !model.Done() {
		return nil, nil
	}
	var test AccuracyResult
	var trained TrainResult
	if err := errors.Join(f.Read("result.json", &test), model.Read("result.json", &trained)); err != nil {
		return nil, err
	}
	counts, err := ReadCounts(f.Input("test"))
	if err != nil {
		return nil, err
	}
	r := classifierRecord(model, trained)
	n, _ := counts.Size(corpus.Test)
	r.Values["sentences"], r.Values["test_accuracy"] = float64(n), test.TestAcc
	return []*report.Record{r}, nil
}

// classifierRecord returns the record of a trained classifier, without its test accuracy.
func classifierRecord(f stage.Finished, trained TrainResult) *report.Record {
	if f.Name() == DivLSTM {
		return divLSTMRecord(f, trained)
	}
	p := f.At()
	r := report.NewRecord(report.FromClassifier, p.Dataset, p.FirstSeed(),
		append([]report.Axis{{Key: "model", Value: string(f.Name())}}, f.Axes()...)...)
	r.Values = metrics.Values{
		"dev_accuracy": trained.DevAccuracy, "epochs": float64(trained.Epochs), "parameters": float64(trained.Parameters),
	}
	r.Paper = map[stage.Name]string{FastText: "FastText", Classifier: "Bi-LSTM"}[f.Name()]
	return r
}

// accuracy measures the accuracy of a trained classifier on the test sentences.
func accuracy(ctx context.Context, job *stage.Job, _ struct{}) error {
	t, err := loadText(job, corpus.Test)
	if err != nil {
		return err
	}
	percent, err := accuracyOf(ctx, job.Inputs["model"], t.encoded(corpus.Test))
	if err != nil {
		return err
	}
	if job.Inputs["unseen"] != "" {
		if err := warnUnseen(job, t.Dataset); err != nil {
			return err
		}
	}
	return writeJSON(job.Dir, "result.json", AccuracyResult{TestAcc: percent})
}

// warnUnseen warns if many test sentences are also in the text that only a judge of style reads
// (see Unseen). A few are normal.
func warnUnseen(job *stage.Job, test *corpus.Dataset) error {
	unseen, err := corpus.Load(job.Inputs["unseen"], test.Name, test.Labels, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	unseen.AddExtra(unseen.Text[corpus.Dev]) // count dev sentences too, because the judge may have learned from them
	unseen.Text[corpus.Test] = test.Text[corpus.Test]
	if in := unseen.TestOverlap(corpus.Train); in.Suspect() {
		job.Warn(fmt.Sprintf("datasets.%s: %d of %s are also in the unseen text, so the judge of TST%% unseen knows them "+
			"by heart: name another text with the key unseen, or remove them from it", test.Name, in.Equal,
			wording.Count(in.Sentences, "test sentence")))
	}
	return nil
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
