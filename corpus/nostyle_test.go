package corpus_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestNoStyleDirections: those from no style stand behind those between styles, and no two have
// files of one name.
func TestNoStyleDirections(t *testing.T) {
	for n := 2; n < 13; n++ {
		styles := make(corpus.Styles, n)
		for k := range styles {
			styles[k] = string(rune('a' + k))
		}
		between, all := styles.Directions(), styles.DirectionsWith(true)
		off := styles.DirectionsWith(false)
		if !slices.Equal(all[:len(between)], between) || len(all) != n*n || !slices.Equal(off, between) {
			t.Errorf("%d styles have the directions %v", n, all)
		}
		files := map[string]corpus.Direction{}
		for _, d := range all {
			name := corpus.RefName(styles, d)
			if other, twice := files[name]; twice {
				t.Errorf("%v and %v both have %s", d, other, name)
			}
			files[name] = d
		}
		last := all[len(all)-1]
		if got, want := styles.Name(last), "none to "+styles[n-1]; got != want {
			t.Errorf("%v is %q, want %q", last, got, want)
		}
	}
	if got := corpus.FileName(corpus.Test, corpus.NoStyle); got != "test.none.txt" {
		t.Errorf("they are in %s", got)
	}
}

// TestNoStyleSaved: what is written is read again, by itself and beside sentences of styles with
// references; these are read and written as if there were no others.
func TestNoStyleSaved(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, dir, 3)
	load := func(dir string) *corpus.Dataset {
		d, err := corpus.Load(dir, "tiny", []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d, plain := load(dir), load(dir)
	for _, name := range []string{"dev.none.txt", "test.none.txt", "reference.none-1.txt"} {
		testkit.WriteLines(t, filepath.Join(dir, name), 2, "words of "+name)
	}
	if diff := cmp.Diff(plain, load(dir)); diff != "" {
		t.Errorf("Load reads sentences of no style: %s", diff)
	}
	if err := d.LoadNoStyle(dir); err != nil {
		t.Fatal(err)
	}
	dev := d.Of(corpus.Dev, corpus.NoStyle)
	if len(d.Refs) != 4 || d.Refs[0] == nil || d.Refs[2] != nil || len(d.Refs[3]) != 2 || len(dev) != 2 {
		t.Errorf("read %v with references %v", d.NoStyle, d.Refs)
	}
	again := t.TempDir()
	for _, split := range []corpus.Split{corpus.Dev, corpus.Test} {
		if err := d.SaveNoStyle(again, split); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Save(again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain, load(again)); diff != "" {
		t.Errorf("Save writes references of no style: %s", diff)
	}
	other := load(again)
	if err := other.LoadNoStyle(again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, other); diff != "" {
		t.Error(diff)
	}
	alone := corpus.NewDataset("tiny", d.Labels)
	err := alone.LoadNoStyle(again, corpus.Dev)
	if err != nil || alone.Refs != nil || alone.NoStyle[corpus.Test] != nil {
		t.Errorf("dev alone reads %v (%v)", alone, err)
	}
	testkit.WantError(t, alone.LoadNoStyle(t.TempDir()), userr.BadInput, "no_style needs dev.none.txt", "no_style needs test.none.txt")
}

// TestNoStyleAlsoIn counts each sentence that another split has, of a style or of none.
func TestNoStyleAlsoIn(t *testing.T) {
	d := corpus.NewDataset("tiny", corpus.Styles{"a", "b"})
	d.Text[corpus.Train][1] = []corpus.Sentence{{"x"}, {"y", "z"}}
	d.NoStyle[corpus.Dev] = []corpus.Sentence{{"q"}}
	d.NoStyle[corpus.Test] = []corpus.Sentence{{"x"}, {"y"}, {"x"}, {"q"}}
	train, dev := d.NoStyleAlsoIn(corpus.Train, corpus.Test), d.NoStyleAlsoIn(corpus.Dev, corpus.Test)
	if train != 2 || dev != 1 {
		t.Errorf("%d sentences are in train and %d in dev, want 2 and 1", train, dev)
	}
}

// TestNoStyleReport: sentences of no style have a line of their own, with their references.
func TestNoStyleReport(t *testing.T) {
	d := corpus.NewDataset("tiny", corpus.Styles{"a", "b"})
	d.Text[corpus.Train][1] = []corpus.Sentence{{"x"}, {"y", "z"}}
	d.NoStyle[corpus.Test] = []corpus.Sentence{{"x"}, {"q", "r", "s"}, {"q", "r", "s"}}
	d.Refs = make([][]corpus.Sentence, 4)
	d.Refs[2], d.Refs[3] = make([]corpus.Sentence, 3), make([]corpus.Sentence, 3)
	r := d.Report(0)
	if len(r.Parts[corpus.Dev]) != 2 || len(r.Parts[corpus.Test]) != 3 {
		t.Fatalf("parts %+v", r.Parts)
	}
	got := r.Parts[corpus.Test][2]
	want := corpus.PartInfo{
		Split: "test", Label: "none", Sentences: 3, References: 6, Duplicates: 1, InTrain: 1, Words: 7, OOV: 6,
		OOVRate: 6. / 7, Lengths: corpus.LengthStats{Min: 1, Median: 3, Mean: 7. / 3, P95: 3, Max: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
