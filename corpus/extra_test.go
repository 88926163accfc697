package corpus

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestReadExtra: further sentences stand behind the training file's, all else is as it was, and
// leakage is counted of them too.
func TestReadExtra(t *testing.T) {
	dir := t.TempDir()
	want := small()
	must(t, want.Save(dir))
	leaked := want.Text[Dev][0][1]
	testkit.WriteFile(t, filepath.Join(dir, ExtraName(0)), "one more\nand one\n")
	testkit.WriteFile(t, filepath.Join(dir, ExtraName(1)), strings.Join(leaked, " ")+"\n")
	got, err := Load(dir, want.Name, want.Labels[:])
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Error("the files are read without being asked for")
	}
	before := got.Report(0).Parts[Dev][0].InTrain
	extra, err := ReadExtra(dir)
	must(t, err)
	got.AddExtra(extra)
	want.Text[Train][0] = append(want.Text[Train][0], Sentence{"one", "more"}, Sentence{"and", "one"})
	want.Text[Train][1] = append(want.Text[Train][1], leaked)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with them the data set is %+v, want %+v", got, want)
	}
	if n := got.Report(0).Parts[Dev][0].InTrain; n != before+1 {
		t.Errorf("%d dev sentences are also training sentences, and %d with one that is in train_extra", before, n)
	}
}

// TestReadExtraRefuses: each sentence names the file of the two that is wrong, and its own line.
func TestReadExtraRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(style int) string { return filepath.Join(dir, ExtraName(style)) }
	testkit.WriteFile(t, path(0), "one\n\nthree\n")
	_, err := ReadExtra(dir)
	testkit.WantError(t, err, userr.BadInput, path(0)+":2: the line is empty", "needs train_extra.1.txt,")
	testkit.WriteFile(t, path(1), "one\ntwo\nthe <mask>\n")
	must(t, os.Remove(path(0)))
	_, err = ReadExtra(dir)
	testkit.WantError(t, err, userr.BadInput, "needs train_extra.0.txt,", path(1)+":3: ")
}
