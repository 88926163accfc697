package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// A signature that all data sets share stands once, even where some lack the metric; others stand
// by data set.
func TestSignaturesOfDataSets(t *testing.T) {
	row := func(dataset string, signatures map[string]string) report.ResultRow {
		return report.ResultRow{Dataset: dataset, Metrics: &metrics.Scores{Signatures: signatures}}
	}
	r := &Results{Results: []report.ResultRow{
		row("yelp", map[string]string{"s_bleu": "s", "r_bleu": "r", "tst": "one"}),
		row("yelp", map[string]string{"s_bleu": "s", "r_bleu": "r", "tst": "another"}),
		row("imdb", map[string]string{"s_bleu": "s", "tst": "third"}),
	}}
	want := map[string]string{"s_bleu": "s", "r_bleu": "r", "tst": "yelp: another or one; imdb: third"}
	if d := cmp.Diff(want, signatures(r.Results, r.datasetsShown())); d != "" {
		t.Error(d)
	}
}

// A note stands under the tables that have rows of what it is about, and nowhere else.
func TestNotesUnder(t *testing.T) {
	r := &Results{}
	r.note(ofSystems, "of systems")
	r.note([]string{"divlstm"}, "of one", "and another")
	models := []table.Part{{Name: "SMLM", Values: []string{"trained for 3 epochs"}}}
	r.trainedNote(ofSystems, "Epochs: smlm 3.", models)
	for name, want := range map[string][]string{
		"main": {"of systems"}, "divlstm": {"of one", "and another"}, "classifier": nil,
	} {
		var a report.About
		r.notesUnder(name, &a)
		if d := cmp.Diff(want, a.Notes); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if trained := name == "main"; trained != (len(a.Trained) == 1) || trained != cmp.Equal(models, a.Models) {
			t.Errorf("%s: how models were made: %q, %v", name, a.Trained, a.Models)
		}
	}
	if d := cmp.Diff([]string{"of systems", "Epochs: smlm 3."}, r.allNotes()); d != "" {
		t.Errorf("the page: %s", d)
	}
}
