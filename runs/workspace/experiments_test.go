package workspace

import (
	"os"
	"slices"
	"testing"
)

// The name of an experiment means its last whole run: a run of some stages with other settings
// leaves the note as it is, and is noted where there was no whole one.
func TestNoteExperiment(t *testing.T) {
	w, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set, other, only := []string{"seeds=[1]"}, []string{"smlm.epochs=1"}, []string{"smlm"}
	for i, c := range []struct {
		r    Ran
		want []string // overrides that are noted then
		text string   // and the file's, "text 1" and so on
	}{
		{Ran{Set: other, Only: only}, other, "text 0"},
		{Ran{Set: set, Only: only}, set, "text 1"},
		{Ran{Set: set}, set, "text 2"},
		{Ran{Set: other, Only: only}, set, "text 2"},
		{Ran{Set: set, Datasets: []string{"yelp"}, Only: only}, set, "text 2"},
		{Ran{Set: set, Only: only}, set, "text 5"}, // the file may have changed
		{Ran{Set: other, Only: only}, set, "text 5"},
		{Ran{Set: other}, other, "text 7"},
	} {
		c.r.Name = "e"
		if err := w.NoteExperiment(c.r, []byte("text "+string(rune('0'+i)))); err != nil {
			t.Fatal(err)
		}
		got, err := w.Experiment("e")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(w.TextOf("e"))
		if err != nil || string(text) != c.text || !slices.Equal(got.Set, c.want) || len(got.Datasets) > 0 {
			t.Errorf("after run %d: %+v of %q (%v), want --set %q of %q", i, got, text, err, c.want, c.text)
		}
	}
}
