package rewrite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestLicenceOf: the licence is the first line of a licence file in the data's folder. Without such
// a file, the text says that the licence is not recorded.
func TestLicenceOf(t *testing.T) {
	folder := func(name, text string) experiment.DatasetSettings {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return experiment.DatasetSettings{Dir: dir}
	}
	for name, c := range map[string]struct {
		set  experiment.DatasetSettings
		want string
	}{
		"what fetch leaves": {folder("LICENCE.txt", "for research only\nSource: somebody\n"), "for research only."},
		"another name":      {folder("LICENSE", "\n  An own licence.\n\nMore of it"), "An own licence."},
		"empty":             {folder("LICENCE.txt", "\n"), "not recorded: state it in LICENCE.txt beside the data before you publish."},
		"none":              {folder("notes.txt", "x"), "not recorded: state it in LICENCE.txt beside the data before you publish."},
		"invented":          {experiment.DatasetSettings{Builtin: "demo"}, "none is needed, as the program invents this corpus."},
		"for a terminal":    {folder("LICENCE.txt", "a\x1b[2Jb"), `a\x1b[2Jb.`},
		"long":              {folder("LICENCE.txt", strings.Repeat("so ", 500)), strings.Repeat("so ", 100)[:299] + "…."},
	} {
		if got := licenceOf(&experiment.Dataset{Name: "mine", DatasetSettings: c.set}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestReadme: the README says how to use the models, and states the licence of the data.
func TestReadme(t *testing.T) {
	c := &Chosen{
		Rewriting: Rewriting{Labels: corpus.Styles{"<b>gloomy", "very cheerful"}},
		Model:     stage.Point{Point: &experiment.Point{Dataset: "mine"}, Model: "smlm"},
	}
	mine := &experiment.Dataset{Name: "mine", DatasetSettings: experiment.DatasetSettings{Dir: t.TempDir()}}
	if err := os.WriteFile(filepath.Join(mine.Dir, "LICENCE.txt"), []byte("CC BY 4.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := c.Readme(&experiment.Experiment{Datasets: []*experiment.Dataset{{Name: "other"}, mine}})
	for _, want := range []string{
		"# smlm on mine, ", "&lt;b&gt;gloomy or very cheerful.", "transfer --packed FILE --to 'very cheerful'\n",
		"\nLicence of the data: CC BY 4.0.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}
