package runs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// damages are ways to damage a file of a stage. The function do gets the content of the file (text)
// and the content of the file that has the same name in another stage (other).
var damages = []struct {
	name string
	do   func(text, other []byte) []byte // returns the new content, or nil to remove the file
}{
	{"truncated", func(text, _ []byte) []byte { return text[:len(text)/2] }},
	{"emptied", func([]byte, []byte) []byte { return []byte{} }},
	{"flipped", func(text, _ []byte) []byte {
		text = slices.Clone(text)
		text[len(text)/2] ^= 1
		return text
	}},
	{"another's", func(_, other []byte) []byte { return other }},
	{"removed", func([]byte, []byte) []byte { return nil }},
}

// TestDamage damages one file of each finished stage in turn. Verify must report this file. The
// test then removes the stage, and the next run must make only this stage again, with the same
// bytes.
func TestDamage(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{})
	stages := l.plan.Stages
	for i, s := range stages {
		name := []string{"out.txt", "stage.json"}[i%2]
		damage := damages[i/2%len(damages)]
		path := filepath.Join(l.ws.StageDir(s), name)
		kept := read(t, filepath.Join(l.ws.StageDir(s), "out.txt"))
		other := read(t, filepath.Join(l.ws.StageDir(stages[(i+1)%len(stages)]), name))
		now := damage.do(read(t, path), other)
		if now == nil {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		} else {
			testkit.WriteFile(t, path, string(now))
		}
		var found []string
		for _, d := range l.ws.Verify(stages...) {
			found = append(found, d.Path)
			if err := os.RemoveAll(l.ws.StageDir(d.Stage)); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{path}
		if now == nil && name == "stage.json" {
			want = nil // a stage without stage.json counts as unfinished, so verify does not report it
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s %s of %s: verify finds %q, want %q", name, damage.name, s.Title(), found, want)
		}
		l.mustRun(Options{})
		if !slices.Equal(l.ran, []string{string(s.Name) + "/" + s.ID}) {
			t.Errorf("%s %s of %s: ran %v", name, damage.name, s.Title(), l.ran)
		}
		if got := read(t, filepath.Join(l.ws.StageDir(s), "out.txt")); !slices.Equal(got, kept) {
			t.Errorf("%s %s of %s: made again, it is %q, was %q", name, damage.name, s.Title(), got, kept)
		}
	}
	if l.mustRun(Options{}); len(l.ran) > 0 {
		t.Errorf("ran again: %v", l.ran)
	}
}

// TestDamageInMidRun: the inputs of a stage are checked right before the stage begins, so damage
// during the run is found.
func TestDamageInMidRun(t *testing.T) {
	l := newLab(t)
	vocab := l.plan.Named(stages.Vocab)[0]
	work := l.funcs[vocab.Name]
	l.funcs[vocab.Name] = func(ctx context.Context, job *stage.Job) error {
		testkit.WriteFile(t, filepath.Join(l.ws.StageDir(vocab.Inputs["prepare"]), "out.txt"), "x")
		return work(ctx, job)
	}
	err := l.run(t.Context(), Options{})
	testkit.WantError(t, err, userr.StageFailed, "is damaged", "has 1 bytes")
}

// TestNoResultsOfDamage checks that collecting results from a damaged file returns an error that
// names the stage, and no results.
func TestNoResultsOfDamage(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=0.15")
	l.results()
	l.mustRun(Options{})
	if _, err := results.Collect(l.plan, l.ws); err != nil {
		t.Fatal(err)
	}
	score := l.plan.Named(stages.Score)[0]
	found, err := filepath.Glob(filepath.Join(l.ws.StageDir(score), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if filepath.Base(path) != "stage.json" {
			testkit.WriteFile(t, path, "")
		}
	}
	_, err = results.Collect(l.plan, l.ws)
	testkit.WantError(t, err, userr.StageFailed, score.Title()+" is damaged", "verify --repair")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
