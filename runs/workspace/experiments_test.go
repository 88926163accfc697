package workspace

import (
	"os"
	"slices"
	"testing"
)

// TestNoteExperiment: for an experiment's name, the workspace returns the file and the overrides of
// its last run.
func TestNoteExperiment(t *testing.T) {
	w, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []struct {
		set  []string
		text string
	}{
		{[]string{"seeds=[1]"}, "name = \"first\""},
		{nil, "name = \"second\""},
		{[]string{"smlm.epochs=1"}, "name = \"last\""},
	} {
		if err := w.NoteExperiment(Ran{Name: "e", File: "/e.toml", Set: run.set}, []byte(run.text)); err != nil {
			t.Fatal(err)
		}
		got, err := w.Experiment("e")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(w.TextOf("e"))
		if err != nil || string(text) != run.text || !slices.Equal(got.Set, run.set) || got.File != "/e.toml" {
			t.Errorf("after %+v: %+v of %q (%v)", run, got, text, err)
		}
	}
	if names := w.Experiments(); !slices.Equal(names, []string{"e"}) {
		t.Errorf("experiments %q", names)
	}
}
