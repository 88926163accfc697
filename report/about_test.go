package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOverridesText checks that the name of a section of the experiment file is printed once,
// before its keys. Settings that only some data sets have must come after the name of their data
// set.
func TestOverridesText(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []Override
		want string
	}{
		{"none", nil, "paper"},
		{"one", []Override{{"yelp", "smlm", "dim", "256"}}, "paper, but smlm.dim 256"},
		{"tables", []Override{
			{"yelp", "divlstm", "lambda_con", "0.5"},
			{"yelp", "smlm", "dim", "256"},
			{"yelp", "smlm", "ff", "1024"},
		}, "paper, but divlstm.lambda_con 0.5; smlm.dim 256, ff 1024"},
		{"data sets", []Override{
			{"yelp", "vocab", "size", "9"},
			{"snli", "vocab", "size", "9"},
			{"snli", "masking", "lambda_eps", "0.5"},
			{"yelp", "smlm", "dim", "8"},
			{"snli", "smlm", "dim", "16"},
		}, "paper, but vocab.size 9; on yelp: smlm.dim 8; on snli: masking.lambda_eps 0.5; smlm.dim 16"},
		{"one data set of several", []Override{
			{"yelp", "vocab", "size", "9"},
			{"snli", "masking", "lambda_eps", "0.5"},
		}, "paper, but on yelp: vocab.size 9; on snli: masking.lambda_eps 0.5"},
	} {
		if got := (About{Profile: "paper", Overrides: c.all}).ProfileText(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSettings checks that settings that differ from the profile are printed on one line of text.
func TestSettings(t *testing.T) {
	a := About{
		Data: []string{"yelp: 10 sentences"}, Seeds: []uint64{2, 1}, Profile: "paper",
		Overrides: []Override{
			{"yelp", "vocab", "size", "9"},
			{"snli", "vocab", "size", "9"},
			{"yelp", "divlstm", "lambda_con", "0.5"},
			{"yelp", "smlm", "epochs", "5"},
			{"yelp", "smlm", "source_token", "false"},
			{"snli", "decoder", "lr", "0.1"},
			{"snli", "guide", "epochs", "4"},
		},
		Trained: []string{"Epochs: smlm 5."},
	}
	if d := cmp.Diff([]string{
		"Data: yelp: 10 sentences.", "Seeds 1, 2.",
		"Profile: paper, but vocab.size 9; on yelp: divlstm.lambda_con 0.5; smlm.epochs 5, source_token false; " +
			"on snli: decoder.lr 0.1; guide.epochs 4.",
		"Epochs: smlm 5.",
	}, a.Settings()); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	if s := (About{}).Settings(); s != nil {
		t.Errorf("an empty About has settings: %+v", s)
	}
}

// TestSignatures checks that a table prints the signatures of its own columns, each once.
func TestSignatures(t *testing.T) {
	a := studyAbout()
	a.Data, a.Seeds, a.Profile = nil, nil, ""
	names := func(notes []string) []string {
		var out []string
		for _, n := range notes {
			if name, text, ok := strings.Cut(n, ": "); ok && strings.Contains(text, "|version:") {
				out = append(out, name)
			}
		}
		return out
	}
	records := studyResults()[:9]
	for _, c := range []struct {
		table *Table
		want  []string
	}{
		{
			Build("results", records, a),
			[]string{
				"collapse", "mean", "naturalness", "perplexity", "r_bleu",
				"s_bleu", "tst",
			},
		},
		{Build("content", records, a), []string{"cider", "meteor", "rouge_l"}},
		{Significance(studySignificance()[:1], a), []string{"tst"}},
		{Build("classifier", studyClassifiers(), aboutTrained()), []string{"dev_accuracy", "test_accuracy"}},
		{Build("divlstm", studyDivLSTMs(), aboutTrained()), []string{"conicity", "dev_accuracy", "test_accuracy"}},
		{Build("attribution", masks(), aboutTrained()), []string{"accuracy", "char_s_bleu", "masked_s_bleu"}},
	} {
		if got := names(c.table.Signatures); !slices.Equal(got, c.want) {
			t.Errorf("%s: signatures of %q, want %q", c.table.Name, got, c.want)
		}
	}
	// Metrics with equal signatures share a line.
	got := signatureLines(map[string]string{"a": "same", "b": "other", "c": "same."})
	if want := []string{"a, c: same.", "b: other."}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}

// TestMissing checks that a metric that has no value in any row has no column, and that a sentence
// below the table says how to get the metric.
func TestMissing(t *testing.T) {
	records := paperRecords()
	table := Build("content", records, paperAbout)
	if heads(table) != "Data set,System,lambda_eps,ROUGE-L,CIDEr" ||
		!slices.Contains(table.Hints, paperAbout.Missing["meteor"]) {
		t.Errorf("columns %s, hints %q", heads(table), table.Hints)
	}
	records[0].Values["meteor"] = .4
	table = Build("content", records, paperAbout)
	if heads(table) != "Data set,System,lambda_eps,METEOR,ROUGE-L,CIDEr" ||
		slices.Contains(table.Hints, paperAbout.Missing["meteor"]) {
		t.Errorf("columns %s, hints %q", heads(table), table.Hints)
	}
}
