package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// TestMixtureIsSaid: a weight of the authors' code beside the mean of Mohankumar et al. is noted, a
// weight in its own convention is not.
func TestMixtureIsSaid(t *testing.T) {
	for _, c := range []struct {
		weight    float64
		reduction string
		said      bool
	}{
		{10, "mean", true},
		{5, "mean", true},
		{2, "mean", false},
		{10, "sum", false},
		{0, "mean", false},
	} {
		rows := []DivLSTMRow{{Dataset: "a", LambdaCon: .5, Reduction: "mean"}, {
			Dataset: "a", LambdaCon: c.weight, Reduction: c.reduction,
		}}
		if said := slices.Contains(DivLSTM(rows, About{}).Notes, mixtureNote); said != c.said {
			t.Errorf("%+v: said %v", c, said)
		}
	}
}

// TestAttentionOffStyleIsSaid: a note counts the trainings whose attention is not on style words,
// and is not there where none is.
func TestAttentionOffStyleIsSaid(t *testing.T) {
	rows := []DivLSTMRow{
		{Dataset: "a", LambdaCon: .5, Evidence: []float64{.8, .9}},
		{Dataset: "a", LambdaCon: 1, Evidence: []float64{.8, .1}, OffStyle: true},
	}
	for _, c := range []struct {
		rows []DivLSTMRow
		off  int
	}{{rows, 1}, {rows[:1], 0}} {
		note := fmt.Sprintf(offStyleNote, c.off, wording.Count(len(c.rows), "training"))
		if said := slices.Contains(DivLSTM(c.rows, About{}).Notes, note); said != (c.off > 0) {
			t.Errorf("%d of %d are off: said %v", c.off, len(c.rows), said)
		}
	}
}

// TestSilentStyleIsSaid: a style without evidence of its own has no number, and a note says so.
func TestSilentStyleIsSaid(t *testing.T) {
	rows := []DivLSTMRow{
		{Dataset: "a", LambdaCon: 1, Evidence: []float64{.8, .9}},
		{Dataset: "a", LambdaCon: .5, Evidence: []float64{.7, -.2}, Silent: []int{1}},
	}
	both := DivLSTM(rows, About{})
	var text strings.Builder
	if err := both.Write(&text, "csv"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "0.80 / 0.90") || !strings.Contains(text.String(), "0.70 / –") ||
		!slices.Contains(both.Notes, silentNote) {
		t.Errorf("a silent style:\n%s", &text)
	}
	if said := DivLSTM(rows[:1], About{}); slices.Contains(said.Notes, silentNote) {
		t.Error("no style is silent, and the note is there")
	}
}
