package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// BiLSTM is the Model of the one classifier that measures TST%, Encoder that of a pretrained
// encoder in its place.
const (
	BiLSTM  = "Bi-LSTM"
	Encoder = "encoder"
)

// FastText is the Model of the one beside it.
const FastText = "fastText-like"

// UnseenModel is the Model of a judge that is trained on the unseen text, with a class for mixed
// texts or without.
func UnseenModel(kind string, mixed bool) string {
	if mixed {
		return kind + unseenEnding + " with mixed"
	}
	return kind + unseenEnding
}

const unseenEnding = ", unseen text"

// comparedNote and unseenNote say what the other classifiers are for.
const (
	comparedNote = "Only the %s computes TST%%. The fastText-like classifier is shown for comparison, as in the paper."
	unseenNote   = "Classifiers of unseen text compute TST% unseen and unseen whole. They are trained on text that no other " +
		"part of the study reads, and their dev sentences are from that text. Where \"mixed\" is a class, mixed texts were " +
		"made for it."
)

// ClassifierRow is one trained evaluation classifier.
type ClassifierRow struct {
	Dataset                   string
	Model                     string // BiLSTM, or one to compare with it: "fastText-like"
	Axes                      []Axis // the swept settings
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Epochs, Parameters        int
}

// Classifier is the table of evaluation classifiers. The swept settings and the seed have columns
// where they differ.
func Classifier(rows []ClassifierRow, about About) *table.Table {
	at := func(r *ClassifierRow) point { return point{r.Dataset, r.Axes, r.Seed} }
	s, notes := pointSheet("classifier", "Accuracy of the style classifier that computes TST%.", at), []string(nil)
	s.about = about
	if anyOf(rows, func(r *ClassifierRow) bool { return r.Model != BiLSTM && r.Model != Encoder }) {
		s.title = "Accuracy of the style classifiers."
	}
	if anyOf(rows, func(r *ClassifierRow) bool { return r.Model == FastText }) {
		measuring := BiLSTM
		if anyOf(rows, func(r *ClassifierRow) bool { return r.Model == Encoder }) {
			measuring = Encoder
		}
		notes = append(notes, fmt.Sprintf(comparedNote, measuring))
	}
	if anyOf(rows, func(r *ClassifierRow) bool { return strings.Contains(r.Model, unseenEnding) }) {
		notes = append(notes, unseenNote)
	}
	s.printed = func(r *ClassifierRow) string { return r.Model }
	s.labels = slices.Concat(
		[]column[ClassifierRow]{datasetColumn(s.dataset), left("Model", s.printed)},
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
