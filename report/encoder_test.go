package report

import (
	"strings"
	"testing"
)

// TestEncoderMeasures: the table of classifiers says that it is an encoder that measures TST%, and
// calls no Bi-LSTM what is none.
func TestEncoderMeasures(t *testing.T) {
	rows := []ClassifierRow{{Dataset: "d", Model: "classifier", Encoder: true}, {Dataset: "d", Model: "fasttext"}}
	text := strings.Join(Classifier(rows, About{}).Notes, "\n")
	if !strings.Contains(text, "alone computes TST%, is a pretrained encoder.") || strings.Contains(text, "Bi-LSTM") {
		t.Errorf("the notes are\n%s", text)
	}
}
