package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

// Another file of the same name is told of, and its trials leave the note as it is. The same file
// by another path, a moved one and an equal one beside it are no others.
func TestNamedBy(t *testing.T) {
	w, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first, edited, copied := write("a.toml", "1"), write("b.toml", "2"), write("b/a.toml", "1")
	equal, link := write("c.toml", "1"), filepath.Join(dir, "link.toml")
	if err := os.Symlink(first, link); err != nil {
		t.Fatal(err)
	}
	note := func(file, text string, only ...string) {
		t.Helper()
		if err := w.NoteExperiment(Ran{Name: "e", File: file, Only: only}, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(file, text, want string) {
		t.Helper()
		if got := w.NamedBy("e", file, []byte(text)); got != want {
			t.Errorf("%s of %q: the name is of %q, want %q", file, text, got, want)
		}
	}
	expect(first, "1", "")
	note(first, "1", "smlm")
	expect(edited, "2", "") // a trial has no tables
	note(first, "1")
	expect(first, "1", "")
	expect(first, "changed", "")
	expect(link, "changed", "")
	expect(equal, "1", "")
	expect(edited, "2", first)
	expect(copied, "1", first)
	if got := w.NamedBy("other", edited, []byte("2")); got != "" {
		t.Errorf("a name that is free is of %q", got)
	}
	note(edited, "2", "smlm")
	if ran, err := w.Experiment("e"); err != nil || ran.File != first || len(ran.Only) > 0 {
		t.Errorf("after a trial of another file: %+v (%v)", ran, err)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	expect(copied, "1", "") // it was moved there
	expect(edited, "2", first)
	note(edited, "2")
	expect(edited, "2", "")
	secret := `mlflow = "http://user:password@host/"`
	note(first, secret)
	expect(edited, secret, "") // it was moved there; the password is not kept
}

// The last whole run of a file is the newest of all names that it had and of the data sets asked
// for; a run of some stages is none, nor is one of another file.
func TestLastRun(t *testing.T) {
	w, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run := func(minute int, r Ran) {
		r.Ended = start.Add(time.Duration(minute) * time.Minute)
		if err := w.NoteExperiment(r, []byte("seeds = [1]")); err != nil {
			t.Fatal(err)
		}
	}
	last := func(file string, datasets ...string) string {
		r := w.LastRun(file, []byte("seeds = [2]"), datasets)
		if r == nil {
			return "none"
		}
		return strings.Join(r.Set, " ")
	}
	check := func(when, want string, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: the last run had %q, want %q", when, got, want)
		}
	}
	check("before any run", "none", last("/e.toml"))
	run(0, Ran{Name: "e", File: "/e.toml", Set: []string{"a=1"}, Only: []string{"smlm"}})
	check("after a run of some stages", "none", last("/e.toml"))
	run(9, Ran{Name: "z", File: "/e.toml", Set: []string{"name=z"}})
	run(5, Ran{Name: "e", File: "/e.toml", Set: []string{"a=2"}})
	check("by the time and not the name", "name=z", last("/e.toml"))
	run(20, Ran{Name: "f", File: "/f.toml", Set: []string{"a=3"}})
	check("another file", "name=z", last("/e.toml"))
	check("that file", "a=3", last("/f.toml"))
	run(30, Ran{Name: "e-yelp", File: "/e.toml", Set: []string{"a=4"}, Datasets: []string{"yelp"}})
	check("no data set is asked for", "a=4", last("/e.toml"))
	check("the data set", "a=4", last("/e.toml", "yelp"))
	check("another data set", "name=z", last("/e.toml", "imdb"))
	check("one of two data sets", "name=z", last("/e.toml", "yelp", "imdb"))
	run(40, Ran{Name: "e", File: "/e.toml", Set: []string{"a=2"}, Only: []string{"smlm"}})
	check("a part of an earlier run again", "a=4", last("/e.toml"))
}
