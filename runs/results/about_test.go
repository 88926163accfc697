package results

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestSignaturesOfDataSets: a signature (a text that says how a metric is computed) is printed once
// if all data sets that have the metric share the signature. Otherwise the signatures are printed
// for each data set.
func TestSignaturesOfDataSets(t *testing.T) {
	measured := func(dataset string, signatures map[string]string) *System {
		of := system(report.Dataset, dataset)
		of.Scores = &metrics.Scores{Signatures: signatures}
		return of
	}
	r := &Results{Systems: []*System{
		measured("yelp", map[string]string{"s_bleu": "s", "r_bleu": "r", "tst": "one"}),
		measured("yelp", map[string]string{"s_bleu": "s", "r_bleu": "r", "tst": "another"}),
		measured("imdb", map[string]string{"s_bleu": "s", "tst": "third"}),
	}}
	want := map[string]string{"s_bleu": "s", "r_bleu": "r", "tst": "yelp: another or one; imdb: third"}
	if d := cmp.Diff(want, signatures(records(r.Systems), r.datasetsShown())); d != "" {
		t.Error(d)
	}
}

// TestNotesUnder: a note is shown only under the tables that the note is about.
func TestNotesUnder(t *testing.T) {
	r := &Results{}
	r.note(ofSystems, "of systems")
	r.note([]string{"divlstm"}, "of one", "and another")
	r.trainedNotes("Epochs: smlm 3.")
	for name, want := range map[string][]string{
		"main": {"of systems"}, "divlstm": {"of one", "and another"}, "datasets": nil,
	} {
		var a report.About
		r.notesUnder(name, &a)
		if d := cmp.Diff(want, a.Notes); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if trained := name != "datasets"; trained != (len(a.Trained) == 1) {
			t.Errorf("%s: how models were made: %q", name, a.Trained)
		}
	}
	if d := cmp.Diff([]string{"of systems", "Epochs: smlm 3."}, r.allNotes()); d != "" {
		t.Errorf("the page: %s", d)
	}
}

// TestWhyEmpty: a table without rows says why, in the words of its notes if it has any.
func TestWhyEmpty(t *testing.T) {
	r := &Results{}
	r.note(ofSystems, "of systems")
	r.note([]string{"significance"}, "No tests on yelp.", "No tests on imdb.")
	for name, want := range map[string]string{
		"significance": "No tests on yelp. No tests on imdb.",
		"seeds":        "It compares seeds, and the experiment has one.",
		"main":         "Nothing in the experiment belongs in it.",
	} {
		if got := r.WhyEmpty(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestModelNames: every trained model has its own name, which is short enough for the title of a
// panel of a figure.
func TestModelNames(t *testing.T) {
	models := lists.Map(stages.Trained(), func(name stage.Name) string { return string(name) })
	of := map[string]string{}
	for _, model := range models {
		name := report.PartName(model)
		unnamed := strings.EqualFold(name, model) && strings.ToUpper(name) != name && model != string(stages.Guide)
		if len(name) > 32 || unnamed {
			t.Errorf("the model %s is called %q: give it a short name in report/about.go", model, name)
		}
		if other := of[name]; other != "" {
			t.Errorf("%s and %s are both called %q", other, model, name)
		}
		of[name] = model
	}
}
