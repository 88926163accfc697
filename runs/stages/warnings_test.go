package stages

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// The function repeated returns n copies of a sentence.
func repeated(n int, sentence string) []corpus.Sentence {
	return slices.Repeat([]corpus.Sentence{strings.Fields(sentence)}, n)
}

// TestWarnUnseen checks that warnUnseen warns if and only if too many test sentences are also in
// the unseen text (see Unseen).
func TestWarnUnseen(t *testing.T) {
	for known, want := range map[int]string{
		0: "",
		2: "datasets.lamps: 2 of 40 test sentences are also in the unseen text, so the judge of TST% unseen knows them by " +
			"heart: name another text with the key unseen, or remove them from it",
	} {
		test := corpus.NewDataset("lamps", corpus.StylesOf(nil))
		unseen := corpus.NewDataset("lamps", test.Labels)
		for style := range 2 {
			test.Text[corpus.Test][style] = repeated(20, "a lamp of this test")
			unseen.Text[corpus.Train][style] = repeated(5, "a lamp to learn from")
			unseen.Text[corpus.Dev][style] = repeated(5, "a lamp to choose by")
		}
		for k := range known { // one training and one dev sentence of the unseen text
			test.Text[corpus.Test][0][k] = strings.Fields([]string{"a lamp to learn from", "a lamp to choose by"}[k])
		}
		job := &stage.Job{Inputs: map[string]string{"unseen": t.TempDir()}}
		if err := unseen.Save(job.Inputs["unseen"], corpus.Train, corpus.Dev); err != nil {
			t.Fatal(err)
		}
		if err := warnUnseen(job, test); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(job.Warnings, "\n"); got != want {
			t.Errorf("with %d test sentences in the unseen text: %q, want %q", known, got, want)
		}
	}
}

// TestWarnOutputs checks that outputs and references that are tokenised differently from the test
// sentences cause a warning that names their file.
func TestWarnOutputs(t *testing.T) {
	test := corpus.NewDataset("places", corpus.StylesOf(nil))
	test.Text[corpus.Test][0] = repeated(20, "nice place , good !")
	test.Text[corpus.Test][1] = repeated(20, "bad place , bad !")
	job := &stage.Job{Sources: map[string]string{"0": "Mine.0.txt", "1": "Mine.1.txt"}}
	warnOutputs(job, test, [][]corpus.Sentence{repeated(20, "bad place, bad!"), repeated(20, "nice place , good !")})
	references := t.TempDir() + "/A.0.txt"
	testkit.WriteLines(t, references, 20, "Bad place, bad!")
	job.Sources[ReferenceSource(0, 0)] = references
	if _, err := referenceSets(job, []string{"a hash", ""}, 0, 2, test.Text[corpus.Test][0]); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Mine.0.txt: the outputs seem to be", references + ": the references seem to be"} {
		if i >= len(job.Warnings) || !strings.HasPrefix(job.Warnings[i], want) {
			t.Errorf("the warnings are %q, want %q as number %d", job.Warnings, want, i)
		}
	}
	if len(job.Warnings) != 2 {
		t.Errorf("there are %d warnings: %q", len(job.Warnings), job.Warnings)
	}
}
