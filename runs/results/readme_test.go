package results

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// TestLicenceOf: the key says it, else a file of the data's folder; where nothing does, that is
// said.
func TestLicenceOf(t *testing.T) {
	folder := func(name, text string) experiment.DatasetSettings {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return experiment.DatasetSettings{Dir: dir}
	}
	both := folder("LICENCE.txt", "for research only\n")
	both.Licence = "CC BY 4.0"
	for name, c := range map[string]struct {
		set  experiment.DatasetSettings
		want string
	}{
		"the key":           {both, "CC BY 4.0."},
		"what fetch leaves": {folder("LICENCE.txt", "for research only\nSource: somebody\n"), "for research only."},
		"another name":      {folder("LICENSE", "\n  An own licence.\n\nMore of it"), "An own licence."},
		"empty":             {folder("LICENCE.txt", "\n"), "not recorded: state it before you publish (key datasets.mine.licence)."},
		"none":              {folder("notes.txt", "x"), "not recorded: state it before you publish (key datasets.mine.licence)."},
		"invented":          {experiment.DatasetSettings{Builtin: "demo"}, "none is needed, as the program invents this corpus."},
		"for a terminal":    {folder("LICENCE.txt", "a\x1b[2Jb"), `a\x1b[2Jb.`},
		"long":              {folder("LICENCE.txt", strings.Repeat("so ", 500)), strings.Repeat("so ", 100)[:299] + "…."},
	} {
		if got := licenceOf(&experiment.Dataset{Name: "mine", DatasetSettings: c.set}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestShown: a card has what the table of results has, with signatures, and its flaws.
func TestShown(t *testing.T) {
	values := func() metrics.Values {
		return metrics.Values{"tst": 50, "unchanged_share": .1, "halved_share": .9, "rouge_l": .5, "distinct_1": .2}
	}
	all := &metrics.Scores{
		Metrics: values(), Directions: []metrics.Direction{{From: "a", To: "b", N: 100, Metrics: values()}},
		Signatures: map[string]string{"tst": "t", "rouge_l": "r", "collapse": "c"},
	}
	got := Shown(all)
	want := metrics.Values{"tst": 50, "unchanged_share": .1, "halved_share": .9}
	if !maps.Equal(got.Metrics, want) || !maps.Equal(got.Directions[0].Metrics, want) || got.Directions[0].From != "a" {
		t.Errorf("%+v", got)
	}
	if !maps.Equal(got.Signatures, map[string]string{"tst": "t", "collapse": "c"}) {
		t.Errorf("signatures %v", got.Signatures)
	}
	if !got.Has(metrics.Shortened) || got.Has(metrics.LeftUnchanged) {
		t.Errorf("flaws %v", got.Flaws())
	}
	if len(all.Metrics) != 5 || len(all.Directions[0].Metrics) != 5 {
		t.Error("the scores themselves were changed")
	}
}

// TestLimits: what metrics do not see is always said, and a flaw where there is one.
func TestLimits(t *testing.T) {
	sound := &metrics.Scores{Directions: []metrics.Direction{{N: 100, Metrics: metrics.Values{"unchanged_share": .1}}}}
	lazy := &metrics.Scores{Directions: []metrics.Direction{{N: 100, Metrics: metrics.Values{"unchanged_share": .9}}}}
	n := len(Limits(nil))
	if n == 0 || len(Limits(sound)) != n {
		t.Errorf("%d limits without scores, and with sound ones %q", n, Limits(sound))
	}
	got := Limits(lazy)
	if want := "This system is left unchanged, so its numbers do not rank it: "; len(got) != n+1 ||
		!strings.HasPrefix(got[n], want) {
		t.Errorf("%q", got)
	}
}
