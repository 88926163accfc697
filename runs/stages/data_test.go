package stages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// demoInputs runs the stages Prepare, TestSet and Vocab on the demo corpus. It returns their
// folders by input name.
func demoInputs(t *testing.T) map[string]string {
	t.Helper()
	in := map[string]string{"prepare": t.TempDir(), "test": t.TempDir(), "vocab": t.TempDir()}
	labels := []string{"sad", "glad"}
	into := func(name string) *stage.Job { return &stage.Job{Dir: in[name], Inputs: in} }
	err := prepare(t.Context(), into("prepare"), PrepareSettings{
		Name: "demo", Builtin: "demo", Labels: labels, MaxTrain: 3000, Seed: 1,
	})
	if err == nil {
		err = testSet(t.Context(), into("test"), TestSetSettings{Name: "demo", Builtin: "demo", Labels: labels})
	}
	if err == nil {
		err = buildVocab(t.Context(), into("vocab"), experiment.VocabSettings{
			Size: 5000,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestHalvesOfADataSet checks that Prepare and TestSet each write their half of the data set, with
// the right counts.json, and that the halves together are the data set.
func TestHalvesOfADataSet(t *testing.T) {
	in := demoInputs(t)
	for name, want := range map[string]struct {
		files  string
		counts Counts
	}{
		"prepare": {
			"counts.json dev.0.txt dev.1.txt train.0.txt train.1.txt",
			Counts{Sentences: map[string][]int{"train": {3000, 3000}, "dev": {400, 400}}},
		},
		"test": {
			"counts.json reference.0.txt reference.1.txt test.0.txt test.1.txt",
			Counts{Sentences: map[string][]int{"test": {200, 200}}, References: true},
		},
	} {
		entries, err := os.ReadDir(in[name])
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, e := range entries {
			files = append(files, e.Name())
		}
		if got := strings.Join(files, " "); got != want.files {
			t.Errorf("%s has the files %s, want %s", name, got, want.files)
		}
		var counts Counts
		if err := readJSON(in[name], "counts.json", &counts); err != nil {
			t.Fatal(err)
		}
		want.counts.Name, want.counts.Labels = "demo", corpus.Styles{"sad", "glad"}
		if d := cmp.Diff(want.counts, counts); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	whole := corpus.Demo()
	whole.Labels = corpus.Styles{"sad", "glad"}
	whole.Sample(3000, 1)
	got, err := dataset(&stage.Job{Inputs: in}, corpus.Splits[:]...)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole, got); d != "" {
		t.Errorf("the halves together are another data set:\n%s", d)
	}
}

// TestPrepareExtra: with train_extra, the extra training sentences follow the others. Without it,
// they are left out.
func TestPrepareExtra(t *testing.T) {
	from := t.TempDir()
	testkit.WriteData(t, from, 2)
	for style := range 2 {
		testkit.WriteFile(t, filepath.Join(from, corpus.ExtraName(style)), "one more\n")
	}
	for _, extra := range []bool{false, true} {
		job := &stage.Job{Dir: t.TempDir(), Sources: map[string]string{"dir": from}}
		s := PrepareSettings{Name: "more", Labels: []string{"a", "b"}, TrainExtra: extra}
		if err := prepare(t.Context(), job, s); err != nil {
			t.Fatal(err)
		}
		for style := range 2 {
			want, err := os.ReadFile(filepath.Join(from, corpus.FileName(corpus.Train, style)))
			if err != nil {
				t.Fatal(err)
			}
			if extra {
				want = append(want, "one more\n"...)
			}
			got, err := os.ReadFile(filepath.Join(job.Dir, corpus.FileName(corpus.Train, style)))
			if err != nil || string(got) != string(want) {
				t.Errorf("train_extra %v, style %d: %q, %v, want %q", extra, style, got, err, want)
			}
		}
	}
}

// TestNoTestSentences: a stage without the input "test" cannot read test sentences.
func TestNoTestSentences(t *testing.T) {
	in := demoInputs(t)
	delete(in, "test")
	job := &stage.Job{Name: Guide, Inputs: in}
	_, err := dataset(job, corpus.Dev, corpus.Test)
	want := `guide asks for test sentences without the input "test"`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("of a training: %v, want %s", err, want)
	}
	in["test"] = in["prepare"]
	_, err = dataset(job, corpus.Test)
	testkit.WantError(t, err, userr.BadInput, "lacks test.0.txt, test.1.txt")
}

// TestAccuracy: the accuracy of a saved classifier on the test sentences is the share of its right
// answers. A model that is not a classifier is refused.
func TestAccuracy(t *testing.T) {
	in := demoInputs(t)
	in["model"] = t.TempDir()
	job := &stage.Job{Dir: in["model"], Inputs: in}
	bag := experiment.FastTextSettings{
		Epochs: 6, LR: .2, FastTextShape: recipe.FastTextShape{Dim: 20, Ngrams: 2, Buckets: 20_000},
	}
	if err := trainFastText(t.Context(), job, FastTextSettings{1, bag}); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(in["model"], "stage.json")
	of := func(name stage.Name) error {
		if err := stage.WriteRecord(record, &stage.Record{Name: name}); err != nil {
			t.Fatal(err)
		}
		return accuracy(t.Context(), &stage.Job{Dir: t.TempDir(), Inputs: in}, struct{}{})
	}
	if err := of(SMLM); err == nil || !strings.Contains(err.Error(), "smlm is not a classifier") {
		t.Errorf("of an SMLM: %v", err)
	}
	if err := of(FastText); err != nil {
		t.Fatal(err)
	}
	m, err := loadFastText(in["model"])
	if err != nil {
		t.Fatal(err)
	}
	text, err := loadText(job, corpus.Test)
	if err != nil {
		t.Fatal(err)
	}
	test, right := text.encoded(corpus.Test), 0
	for i, style := range m.Predict(test.IDs) {
		if style == test.Styles[i] {
			right++
		}
	}
	got, err := accuracyOf(t.Context(), in["model"], test)
	if want := 100 * float64(right) / 400; err != nil || got != want || want < 80 || !slices.Contains(test.Styles, 1) {
		t.Errorf("accuracy %v (%v), want %v", got, err, want)
	}
	judge, err := judgingBy(loadFastText)("fasttext", in["model"])
	if err != nil || judge.name != judgeName("fasttext", in["model"]) {
		t.Fatalf("judge %q (%v)", judge.name, err)
	}
	if styles, err := judge.styles(t.Context(), test.IDs); err != nil || !slices.Equal(styles, m.Predict(test.IDs)) {
		t.Errorf("as a judge of outputs it answers otherwise (%v)", err)
	}
	if _, err := judgingBy(loadFastText)("fasttext", t.TempDir()+"/12345678"); err == nil {
		t.Error("there is no such judge")
	}
}
