package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// instrumentTables are those tables of the experiment file whose keys change how published outputs
// are measured.
var instrumentTables = []string{"classifier", "cnn", "fasttext", "lm", "metrics", "vocab"}

// publishedIn plans an experiment with the data set, systems and vectors in a folder. It returns
// the identity of each published row, by the name of its system.
func publishedIn(t *testing.T, dir string, set ...string) map[string]string {
	t.Helper()
	rows := map[string]string{}
	for _, s := range newPlan(t, loadIn(t, dir, allMatters, set...)).Named(stages.Published) {
		rows[s.Points[0].SystemName()] = s.ID
	}
	return rows
}

// publishedData makes a folder for publishedIn. Its subfolder "one" has the systems A and B, and
// its subfolder "two" has C.
func publishedData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "v.txt"), "good 1 0\n")
	for _, name := range []string{"one/A", "one/B", "two/C"} {
		for style := range 2 {
			file := filepath.Join(dir, name+"."+strconv.Itoa(style)+".txt")
			testkit.WriteLines(t, file, 3, "an output of "+name)
		}
	}
	return dir
}

// TestPublishedRowsAreOfInstruments checks that every key of instrumentTables changes the rows of
// published systems, and that keys of other tables do not. So experiments that measure in the same
// way share these rows.
func TestPublishedRowsAreOfInstruments(t *testing.T) {
	dir := publishedData(t)
	base := []string{"datasets.tiny.outputs=one", "vectors=v.txt"}
	before := publishedIn(t, dir, base...)
	if len(before) != 3 {
		t.Fatalf("rows %v", before)
	}
	walked := 0
	eachKey(t, loadIn(t, dir, allMatters, base...), func(table, path, other string) {
		if table == "report" { // the keys of [report] choose which rows there are
			return
		}
		walked++
		set := slices.Concat(base, needed(path), []string{other})
		after, matters := publishedIn(t, dir, set...), slices.Contains(instrumentTables, table)
		if path == "metrics.encoder" { // changes only stages that add metrics to a row
			matters = false
		}
		for system, id := range before {
			if matters == (after[system] == id) {
				t.Errorf("%s: the row of %s is another one: %t, want %t (a key of what stands beside rows is named above)",
					path, system, !matters, matters)
			}
		}
	})
	if walked < 75 {
		t.Errorf("%d keys", walked)
	}
}

// TestHiddenFilesAreNoSystems checks that hidden files next to outputs and references are not read
// as systems. File managers and editors create such files.
func TestHiddenFilesAreNoSystems(t *testing.T) {
	dir := publishedData(t)
	set := []string{"datasets.tiny.outputs=one", "datasets.tiny.references=two", "vectors=v.txt"}
	before := publishedIn(t, dir, set...)
	for _, folder := range []string{"one", "two"} {
		for style := range 2 {
			ending := fmt.Sprintf(".%d.txt", style)
			testkit.WriteFile(t, filepath.Join(dir, folder, "._A"+ending), "\x00\x05\x16\x07\xfe\n")
			testkit.WriteLines(t, filepath.Join(dir, folder, ".kept"+ending), 3, "an output of before")
		}
		testkit.WriteFile(t, filepath.Join(dir, folder, "..0.txt"), "")
		testkit.WriteFile(t, filepath.Join(dir, folder, ".DS_Store"), "\x00\x00\x00\x01Bud1")
	}
	if d := cmp.Diff(before, publishedIn(t, dir, set...)); d != "" {
		t.Errorf("other rows (-without +with hidden files):\n%s", d)
	}
	if set := newPlan(t, loadIn(t, dir, allMatters, set...)).Sets["tiny"]; len(set.References) != 1 {
		t.Errorf("%d sets of references", len(set.References))
	}
	for style := range 2 { // a folder with only hidden files has no systems
		testkit.WriteLines(t, filepath.Join(dir, "three", fmt.Sprintf(".B.%d.txt", style)), 3, "an output")
	}
	_, err := New(loadIn(t, dir, allMatters, "datasets.tiny.outputs=three", "vectors=v.txt"))
	testkit.WantError(t, err, userr.BadInput, "datasets.tiny.outputs", "three", "has no file NAME.0.txt")
}

// TestVectorsComeBeforeTrainings checks that a file of word vectors is read before any training.
func TestVectorsComeBeforeTrainings(t *testing.T) {
	dir := publishedData(t)
	var names []string
	for _, s := range newPlan(t, loadIn(t, dir, allMatters, "vectors=v.txt")).Stages {
		names = append(names, string(s.Name))
	}
	vectors, training := slices.Index(names, "vectors"), slices.Index(names, "classifier")
	if vectors < 0 || training < 0 || vectors > training {
		t.Errorf("word vectors are stage %d of %v", vectors, names)
	}
}

// TestPublishedRowsAreShared checks what the row of a published system depends on: the labels, the
// references and the first seed, with which the measuring models are trained. The row does not
// depend on the experiment's name, other models, other systems or further seeds.
func TestPublishedRowsAreShared(t *testing.T) {
	dir := publishedData(t)
	base := []string{"datasets.tiny.outputs=one", "vectors=v.txt"}
	before := publishedIn(t, dir, base...)
	for _, set := range [][]string{
		{"name=other"},
		{"workspace=elsewhere"},
		{"seeds=[1, 2]"},
		{"datasets.tiny.outputs=['one', 'two']"},
		{"datasets.tiny.outputs=['two', 'one']"},
		{"smlm.models=[]", "masking.train_on=[]"},
		{"masking.lambda_eps=[0, 1]", "smlm.dim=[64, 128]", "divlstm.lambda_con=[1, 2]"},
		{"report.tables=['content']"},
	} {
		after := publishedIn(t, dir, append(slices.Clone(base), set...)...)
		delete(after, "C")
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("%s: other rows (-before +after):\n%s", set, d)
		}
	}
	for _, set := range []string{"seeds=[2, 1]", "datasets.tiny.labels=['a', 'b']", "datasets.tiny.references=one"} {
		after := publishedIn(t, dir, append(slices.Clone(base), set)...)
		for system, id := range before {
			// The row of the references does not change, because references are not compared with
			// further references.
			itself := system == data.References && strings.Contains(set, "references=")
			if itself != (after[system] == id) {
				t.Errorf("%s: the row of %s is another one: %t, want %t", set, system, itself, !itself)
			}
		}
	}
}

// TestVectorsOfSystems checks that a file of vectors is read once for the words of the data set and
// once for each published system. A published system may have other words; our models write only
// words of the data set.
func TestVectorsOfSystems(t *testing.T) {
	dir := publishedData(t)
	score := func(p *Plan) string { return p.Named(stages.Score)[0].ID }
	alone := newPlan(t, loadIn(t, dir, allMatters, "vectors=v.txt"))
	both := newPlan(t, loadIn(t, dir, allMatters, "vectors=v.txt", "datasets.tiny.outputs=one"))
	if score(alone) != score(both) {
		t.Error("published systems change the score of ours")
	}
	for _, s := range both.Named(stages.Published) {
		sources, system := s.Content()[0].Inputs["vectors"].Sources, s.Points[0].SystemName()
		if system == data.References {
			if len(sources) != 1 {
				t.Errorf("of the references: %v", sources)
			}
			continue
		}
		want := filepath.Join(dir, "one", system+".1.txt")
		if len(sources) != 3 || sources["1.0"] != want {
			t.Errorf("%s: %v", system, sources)
		}
	}
	if read := ids(both)[stages.Vectors]; len(read) != 3 { // one each for the data set, A and B
		t.Errorf("read as %v", read)
	}
}
