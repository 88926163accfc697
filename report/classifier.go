package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// Values of ClassifierRow.Model: the classifier that computes TST%, the one shown for comparison,
// and the judge of TST% unseen.
const (
	evaluationModel = "classifier"
	fastTextModel   = "fasttext"
	unseenModel     = "unseen-cnn"
)

// These notes say what the evaluation classifier is and what the other classifiers are for.
const (
	biLSTMNote   = "The evaluation classifier, which alone computes TST%, is a Bi-LSTM."
	comparedNote = "The fastText-like classifier is shown for comparison, as in the paper."
	unseenNote   = "The judge of TST% unseen is trained on text that no other part of the study reads, and its dev " +
		"sentences are from that text."
)

// ClassifierRow is one trained style classifier.
type ClassifierRow struct {
	Dataset                   string
	Model                     string // stage name, as in TrainingRow
	Axes                      []Axis // the swept settings
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Epochs, Parameters        int
}

// Classifier returns the table of style classifiers. Swept settings and seed have columns only if
// they differ.
func Classifier(rows []ClassifierRow, about About) *table.Table {
	at := func(r *ClassifierRow) point { return point{r.Dataset, r.Axes, r.Seed} }
	s, notes := pointSheet("classifier", "Accuracy of the style classifier that computes TST%.", at), []string(nil)
	s.about = about
	if anyOf(rows, func(r *ClassifierRow) bool { return r.Model != evaluationModel }) {
		s.title = "Accuracy of the style classifiers."
	}
	for _, n := range []struct {
		text string
		of   func(*ClassifierRow) bool
	}{
		{biLSTMNote, func(r *ClassifierRow) bool { return r.Model == evaluationModel }},
		{comparedNote, func(r *ClassifierRow) bool { return r.Model == fastTextModel }},
		{unseenNote, func(r *ClassifierRow) bool { return r.Model == unseenModel }},
	} {
		if anyOf(rows, n.of) {
			notes = append(notes, n.text)
		}
	}
	s.printed = func(r *ClassifierRow) string {
		switch {
		case r.Model == fastTextModel:
			return "FastText"
		case r.Model == evaluationModel:
			return "Bi-LSTM"
		}
		return "" // the paper has no such classifier
	}
	model := modelColumn(func(r *ClassifierRow) string { return r.Model })
	s.labels = slices.Concat(
		[]column[ClassifierRow]{datasetColumn(s.dataset), model},
		settingColumns(rows, at),
	)
	s.numbers = []column[ClassifierRow]{
		number("dev Acc.%", "", 1, func(r *ClassifierRow) float64 { return r.DevAccuracy }),
		number("test Acc.%", "accuracy", 1, func(r *ClassifierRow) float64 { return r.TestAccuracy }),
		integer("epochs", "", func(r *ClassifierRow) int { return r.Epochs }),
		count("parameters", "", func(r *ClassifierRow) int { return r.Parameters }),
	}
	s.signatures = about.Signatures
	return s.table(rows, notes...)
}
