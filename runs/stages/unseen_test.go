package stages

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// lamps returns the text of a file with n different sentences of a style.
func lamps(style string, from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "the %s lamp of pier %d\n", style, from+i)
	}
	return b.String()
}

// sentencesOf reads the sentences of the given splits in a stage's folder. It returns the number of
// sentences and the set of distinct sentences.
func sentencesOf(t *testing.T, dir string, splits ...corpus.Split) (n int, each map[string]bool) {
	t.Helper()
	each = map[string]bool{}
	for _, split := range splits {
		for style := range 2 {
			lines, err := corpus.ReadLines(filepath.Join(dir, corpus.FileName(split, style)))
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range lines {
				n++
				each[strings.Join(words, " ")] = true
			}
		}
	}
	return n, each
}

// TestUnseenText checks that the unseen text, wherever it comes from, shares no sentence with the
// text that the models read. Shared sentences are left out of the unseen text and counted. If the
// unseen text is a share of the training text, the models do not read that share.
func TestUnseenText(t *testing.T) {
	from, other := t.TempDir(), t.TempDir()
	for style, word := range []string{"dim", "bright"} {
		name := func(s corpus.Split) string { return filepath.Join(from, corpus.FileName(s, style)) }
		testkit.WriteFile(t, name(corpus.Train), lamps(word, 0, 400))
		testkit.WriteFile(t, name(corpus.Dev), lamps(word, 400, 20))
		// 23 of these sentences are also in train or dev, so the models read them.
		testkit.WriteFile(t, filepath.Join(from, corpus.ExtraName(style)), lamps(word, 397, 60))
		testkit.WriteFile(t, filepath.Join(other, corpus.FileName(corpus.Train, style)), lamps(word, 419, 50))
	}
	base := PrepareSettings{Name: "lamps", Labels: []string{"a", "b"}}
	sampled, parted := base, base
	sampled.MaxTrain, sampled.Seed, parted.SetAside = 300, 1, true
	for _, c := range []struct {
		settings unseenSettings
		leftOut  []int
		n        int // number of unseen sentences; -1: all that the models do not read
	}{
		{unseenSettings{PrepareSettings: base, From: data.UnseenExtra}, []int{23, 23}, 74},
		{unseenSettings{PrepareSettings: base, From: data.UnseenFolder}, []int{1, 1}, 98},
		{unseenSettings{PrepareSettings: sampled, From: data.UnseenLeft}, []int{0, 0}, 200},
		{unseenSettings{PrepareSettings: parted, From: data.UnseenShare}, []int{0, 0}, -1},
	} {
		t.Run(string(c.settings.From), func(t *testing.T) {
			sources := map[string]string{"dir": from, unseenSource: other}
			seen := &stage.Job{Dir: t.TempDir(), Sources: sources}
			unseen := &stage.Job{Dir: t.TempDir(), Sources: sources}
			err := prepare(t.Context(), seen, c.settings.PrepareSettings)
			if err == nil {
				err = writeUnseen(t.Context(), unseen, c.settings)
			}
			if err != nil {
				t.Fatal(err)
			}
			all, read := sentencesOf(t, seen.Dir, corpus.Train, corpus.Dev)
			n, own := sentencesOf(t, unseen.Dir, corpus.Train, corpus.Dev)
			for sentence := range own {
				if read[sentence] {
					t.Errorf("%q is read by the models too", sentence)
				}
			}
			if want := c.n; want >= 0 && n != want || want < 0 && (n+all != 840 || n < 20) {
				t.Errorf("%d sentences beside %d of the models", n, all)
			}
			var counts Counts
			if err := readJSON(unseen.Dir, "counts.json", &counts); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.leftOut, counts.LeftOut); d != "" {
				t.Errorf("left out (-want +got):\n%s", d)
			}
			for _, split := range []corpus.Split{corpus.Train, corpus.Dev} {
				if slices.Min(counts.Sentences[split.String()]) == 0 {
					t.Errorf("there is a style without %s sentences: %v", split, counts.Sentences)
				}
			}
		})
	}
}

// TestUnseenJudge trains the judge on sentences of the demo's grammar that no model reads. The
// judge must find the styles of the demo's test sentences. The judge must give the same answers in
// the stage "score" and in the accuracies for the table of classifiers.
func TestUnseenJudge(t *testing.T) {
	in := demoInputs(t)
	text := t.TempDir()
	err := writeUnseen(t.Context(), &stage.Job{Dir: text}, unseenSettings{
		PrepareSettings: PrepareSettings{Name: "demo", Builtin: "demo", Labels: []string{"sad", "glad"}, MaxTrain: 3000, Seed: 1},
		From:            data.UnseenGenerated,
	})
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(cnnSettings{
		Seed:     1,
		Training: recipe.Training{Epochs: 6, LR: .01, Beta1: .9, Dropout: .3, BatchTokens: 300},
		CNNShape: recipe.CNNShape{Embedding: 20, Filters: 10, Widths: []int{1, 2, 3}, WordDropout: .1},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = Run(t.Context(), &stage.Job{
		Name: UnseenCNN, Dir: dir, Settings: written, Threads: 1, Devices: "cpu",
		Inputs: map[string]string{"prepare": text, "vocab": in["vocab"]},
	})
	if err == nil {
		err = stage.WriteRecord(filepath.Join(dir, "stage.json"), &stage.Record{Name: UnseenCNN, Settings: written})
	}
	if err != nil {
		t.Fatal(err)
	}
	job := &stage.Job{Inputs: map[string]string{"vocab": in["vocab"], "test": in["test"], "unseen": dir}}
	err = torch.Run(func() error {
		asked := &instruments{}
		defer asked.free()
		if err := asked.loadJudges(job); err != nil {
			return err
		}
		text, err := loadText(job, corpus.Test)
		if err != nil {
			return err
		}
		test := text.encoded(corpus.Test)
		found, err := asked.others["unseen"].styles(t.Context(), test.IDs)
		if err != nil {
			return err
		}
		right := 0
		for i, style := range found {
			if style == test.Styles[i] {
				right++
			}
		}
		percent := 100 * float64(right) / float64(len(found))
		got, err := accuracyOf(t.Context(), dir, test)
		if err != nil || math.Abs(got-percent) > 1e-9 || percent < 85 {
			t.Errorf("accuracy %v (%v), as a judge it has %v", got, err, percent)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
