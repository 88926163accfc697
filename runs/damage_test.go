package runs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// damages are what may happen to a file; other is one of the same name from another stage.
var damages = []struct {
	name string
	do   func(text, other []byte) []byte // nil: the file is removed
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

// TestDamage: whatever happens to whichever file of a finished stage, the next run names it and
// makes that stage again, with the same bytes, and no other.
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
		fresh, err := workspace.Open(l.ws.Dir) // as another process
		if err != nil {
			t.Fatal(err)
		}
		l.ws = fresh
		l.mustRun(Options{})
		if !slices.Equal(l.ran, []string{string(s.Name) + "/" + s.ID}) {
			t.Errorf("%s %s of %s: ran %v", name, damage.name, s.Title(), l.ran)
		}
		if !strings.Contains(l.out.String(), "damaged: "+s.Title()) || !strings.Contains(l.out.String(), path) {
			t.Errorf("%s %s: the run does not name it:\n%s", name, damage.name, l.out.String())
		}
		if got := read(t, filepath.Join(l.ws.StageDir(s), "out.txt")); !slices.Equal(got, kept) {
			t.Errorf("%s %s of %s: made again, it is %q, was %q", name, damage.name, s.Title(), got, kept)
		}
	}
	if l.mustRun(Options{}); len(l.ran) > 0 {
		t.Errorf("ran again: %v", l.ran)
	}
}

// TestDamageInMidRun: what a stage reads is looked at before it begins, too.
func TestDamageInMidRun(t *testing.T) {
	l := newLab(t)
	vocab := l.plan.Points[0].Vocab
	work := l.funcs[vocab.Name]
	l.funcs[vocab.Name] = func(ctx context.Context, job *stage.Job) error {
		testkit.WriteFile(t, filepath.Join(l.ws.StageDir(vocab.Inputs["prepare"]), "out.txt"), "x")
		return work(ctx, job)
	}
	err := l.run(t.Context(), Options{})
	testkit.WantError(t, err, userr.StageFailed, "is damaged", "has 1 bytes")
}

// TestNothingShownOfDamage: rows that rest on a damaged stage are not shown as finished, and the
// stage is named; rows of others are.
func TestNothingShownOfDamage(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=0.15")
	l.results()
	l.mustRun(Options{})
	whole, err := results.Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	model := l.plan.Points[0].Models[0]
	files, err := filepath.Glob(filepath.Join(l.ws.StageDir(model.Train), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if filepath.Base(path) != "stage.json" {
			testkit.WriteFile(t, path, "")
		}
	}
	broken, err := results.Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	if len(broken.Damaged) != 1 || broken.Damaged[0].Stage != model.Train {
		t.Errorf("damaged: %v", broken.Damaged)
	}
	if n := len(broken.Results); n == 0 || n >= len(whole.Results) {
		t.Errorf("%d rows, %d while all was whole", n, len(whole.Results))
	}
	for _, r := range broken.Results {
		if r.System == plan.SystemNames[model.Model] {
			t.Errorf("a row of %s is shown", r.System)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
