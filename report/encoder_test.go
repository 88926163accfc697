package report

import (
	"strings"
	"testing"
)

// TestEncoderMeasures: the table of classifiers says that it is an encoder that measures TST%, and
// calls no Bi-LSTM what is none.
func TestEncoderMeasures(t *testing.T) {
	rows := []ClassifierRow{{Dataset: "d", Model: Encoder, Epochs: 1}, {Dataset: "d", Model: FastText, Epochs: 1}}
	text := strings.Join(Classifier(rows, About{}).Notes, "\n")
	if !strings.Contains(text, "Only the encoder computes TST%.") || strings.Contains(text, "Bi-LSTM") {
		t.Errorf("the notes are\n%s", text)
	}
}
