package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// idOf returns the stage that has the given name. The plan must have only one.
func idOf(t *testing.T, p *Plan, name stage.Name) *Stage {
	t.Helper()
	var found []*Stage
	for _, s := range p.Stages {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d stages named %s", len(found), name)
	}
	return found[0]
}

// TestVectorsFile checks that a stage that reads a file of vectors is identified by the content of
// the file and by the texts whose words it looks up. The path of the file does not matter.
func TestVectorsFile(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "v.txt"), "good 1 0\n")
	testkit.WriteFile(t, filepath.Join(dir, "copy.txt"), "good 1 0\n")
	const text = "vectors = 'v.txt'\n" + testkit.SmallStudy
	first := idOf(t, newPlan(t, loadIn(t, dir, text)), stages.Vectors)
	if first.Sources["file"] != filepath.Join(dir, "v.txt") {
		t.Errorf("stage %+v", first)
	}
	perSet := strings.Replace(testkit.SmallStudy, "dir = \"data\"", "dir = \"data\"\nvectors = \"v.txt\"", 1)
	if same := idOf(t, newPlan(t, loadIn(t, dir, perSet)), stages.Vectors); same.ID != first.ID {
		t.Error("the same file, named for the data set, is another stage")
	}
	testkit.WriteFile(t, filepath.Join(dir, "v.txt"), "good 1 0.5\n")
	if other := idOf(t, newPlan(t, loadIn(t, dir, text)), stages.Vectors); other.ID == first.ID {
		t.Error("other vectors, the same stage")
	}
	missing := newPlan(t, loadIn(t, dir, strings.Replace(text, "v.txt", "none.txt", 1)))
	testkit.WantError(t, missing.Lacks, userr.BadInput, "datasets.tiny.vectors: there is no", "none.txt")
	for _, p := range []*Plan{missing, newPlan(t, loadIn(t, dir, testkit.SmallStudy))} {
		for _, s := range p.Stages {
			if s.Name == stages.Vectors || s.Name == stages.Embedding {
				t.Errorf("%s is planned without vectors", s.Title())
			}
		}
	}
}

// Several folders of outputs form one list of systems. A system may be in only one folder.
func TestSeveralOutputFolders(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	for _, name := range []string{"one/A", "two/B"} {
		for style := range 2 {
			testkit.WriteLines(t, filepath.Join(dir, name+"."+strconv.Itoa(style)+".txt"), 3, "an output")
		}
	}
	text := strings.Replace(testkit.SmallStudy, "dir = \"data\"", "dir = \"data\"\noutputs = [\"one\", \"two\"]", 1)
	var names []string
	for _, s := range newPlan(t, loadIn(t, dir, text)).Named(stages.Published) {
		names = append(names, s.Points[0].SystemName())
	}
	if !slices.Equal(names, []string{"A", "B", data.References}) {
		t.Errorf("systems %v", names)
	}
	for style := range 2 {
		testkit.WriteLines(t, filepath.Join(dir, "two", "A."+strconv.Itoa(style)+".txt"), 3, "another")
	}
	_, err := New(loadIn(t, dir, text))
	testkit.WantError(t, err, userr.BadInput, `both belong to a system "A": rename the files of one`)
}

// Published systems are scored only if a table or figure shows them.
func TestNothingScoredForNothing(t *testing.T) {
	p := newPlan(
		t,
		load(
			t, testkit.SmallStudy, "smlm.models=[]", "masking.train_on=[]", "report.tables=['attribution']",
			"report.figures=['lambda_eps']",
		),
	)
	for _, s := range p.Stages {
		if s.Name == stages.Published || s.Name == stages.LM || s.Name == stages.Vectors {
			t.Errorf("%s is planned", s.Title())
		}
	}
}

// Nothing can run if the experiment names a folder without WordNet.
func TestWordNetFolder(t *testing.T) {
	p := newPlan(t, load(t, strings.Replace(testkit.SmallStudy, `"none"`, `"data"`, 1)))
	testkit.WantError(t, p.Lacks, userr.BadInput, "e.toml:2: wordnet: there is no WordNet in", "data")
}

// TestReferenceSets: further references are part of every score of test outputs, both for our
// models and for published systems. The files with these references are in the Sources of the
// stages. The references of the data set are not compared with further references.
func TestReferenceSets(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	for style := range 2 {
		for _, folder := range []string{"systems", "rewrites"} {
			testkit.WriteLines(t, filepath.Join(dir, folder, fmt.Sprintf("S.%d.txt", style)), 3, "an output")
		}
	}
	with := []string{"datasets.tiny.outputs=systems"}
	before := ids(newPlan(t, loadIn(t, dir, allMatters, with...)))
	p := newPlan(t, loadIn(t, dir, allMatters, append(with, "datasets.tiny.references=rewrites")...))
	after := ids(p)
	for _, name := range []stage.Name{stages.Score, stages.Published} {
		same := 0
		for _, id := range before[name] {
			if slices.Contains(after[name], id) {
				same++
			}
		}
		// Dev outputs and the references themselves are measured without these references.
		if name == stages.Score && same != len(before[name])/2 || name == stages.Published && same != 1 {
			t.Errorf("%d of %d %s do not know of the references", same, len(before[name]), name)
		}
	}
	for _, s := range p.Stages {
		if s.Name != stages.Score && s.Name != stages.Published {
			continue
		}
		want := filepath.Join(dir, "rewrites", "S.1.txt")
		if settings, ok := s.Settings.(stages.PublishedSettings); ok && settings.References {
			want = ""
		}
		if got := s.Sources[stages.ReferenceSource(0, 1)]; got != want {
			t.Errorf("%s reads %q, want %q", s.Title(), got, want)
		}
	}
}

// TestPlainScoresAreFound compares the identities of scores with testdata/plainscores.txt. The
// first version of this file has the identities that commit 1af3bf1 gave for a study without METEOR
// and the embedding metrics, which were part of a score then. Equal identities mean that scores of
// that commit are still found. The file is rewritten when the version of scores is raised.
func TestPlainScoresAreFound(t *testing.T) {
	var b strings.Builder
	for _, s := range newPlan(t, load(t, testkit.SmallStudy)).Stages {
		if s.Name == stages.Score || s.Name == stages.Published {
			fmt.Fprintln(&b, s.ID, s.Name)
		}
	}
	testkit.Golden(t, filepath.Join("testdata", "plainscores.txt"), b.String())
}
