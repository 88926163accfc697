package corpus

import (
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestTrainSize checks the size of the demo corpus in memory and on disk, and of other folders.
func TestTrainSize(t *testing.T) {
	demo, words := Demo(), 0
	for _, sentences := range demo.Text[Train] {
		for _, s := range sentences {
			words += len(s)
		}
	}
	want := Size{Sentences: demo.Size(Train), Words: words, Styles: 2}
	if DemoSize != want {
		t.Errorf("the demo corpus has %+v, want %+v", DemoSize, want)
	}
	dir := t.TempDir()
	testkit.WriteLines(t, filepath.Join(dir, FileName(Train, 0)), 10, "one two three") // adds "number N"
	testkit.WriteLines(t, filepath.Join(dir, FileName(Train, 1)), 6, "one")
	testkit.WriteLines(t, filepath.Join(dir, ExtraName(1)), 4, "one two")
	if got, want := TrainSize(dir, false), (Size{16, 10*5 + 6*3, 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := TrainSize(dir, true), (Size{20, 10*5 + 6*3 + 4*4, 2}); got != want {
		t.Errorf("with more text: %+v, want %+v", got, want)
	}
	if got, want := TrainSize(dir, false).AtMost(4), (Size{8, 34, 2}); got != want {
		t.Errorf("at most 4 sentences of a style: %+v, want %+v", got, want)
	}
	if got := TrainSize(filepath.Join(dir, "none"), false); got != (Size{}) {
		t.Errorf("a folder that does not exist: %+v", got)
	}
}
