package track

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// hangs is the time limit for writing a curve. On an idle machine, writing a curve takes seconds.
const hangs = 4 * time.Minute

// study is a small study whose trainings write curves.
type study struct {
	plan  *plan.Plan
	ws    *workspace.Workspace
	funcs fakebackend.Funcs
}

func newStudy(t *testing.T) *study {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), testkit.SmallStudy+"[track]\ntensorboard = true\n")
	e, err := experiment.Load(filepath.Join(dir, "e.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &study{funcs: fakebackend.Funcs{}}
	if s.plan, err = plan.New(e); err != nil {
		t.Fatal(err)
	}
	if s.ws, err = workspace.Open(e.Workspace); err != nil {
		t.Fatal(err)
	}
	for _, k := range stages.Names() {
		s.funcs[k] = fakebackend.Backend{Varied: true}.Run
	}
	return s
}

// RunHere runs a plan's stages in this process. It is a function of package runs and is set in
// runs_test.go, because package runs imports this package.
var RunHere func(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, code stage.Func) error

// run runs the study while a Follower writes event files. lacks is the error of Follower.Stop.
func (s *study) run(ctx context.Context, t *testing.T) (lacks, err error) {
	t.Helper()
	f := s.follow(t, 20*time.Millisecond)
	err = RunHere(ctx, s.plan, s.ws, s.funcs.Run)
	return f.Stop(), err
}

func (s *study) follow(t *testing.T, every time.Duration) *Follower {
	t.Helper()
	f, err := Follow(s.plan, every)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// folder returns the folder of the study's event files.
func (s *study) folder() string {
	return filepath.Join(s.ws.Path("tensorboard"), s.plan.Experiment.Name)
}

// The method written returns the stages that must have an event file at the end, each with the
// steps in its file.
func (s *study) written(t *testing.T) map[*plan.Stage][]step {
	t.Helper()
	all, reader := map[*plan.Stage][]step{}, &Follower{ws: s.ws}
	for _, of := range s.plan.Stages {
		if !slices.Contains(stages.Trained(), of.Name) {
			continue
		}
		c, err := reader.curve(of)
		if err != nil || !c.over {
			t.Fatalf("%s: %v", of.Title(), err)
		}
		all[of] = c.steps()
	}
	return all
}

// found returns the path of a stage's event file, or "" if there is none.
func (s *study) found(t *testing.T, name stage.Name, id string) string {
	t.Helper()
	entries, _ := os.ReadDir(s.folder())
	path := ""
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), string(name)+" "+id[:12]) {
			if path != "" {
				t.Errorf("%s %s has two folders", name, id)
			}
			path = filepath.Join(s.folder(), e.Name(), eventFile)
		}
	}
	return path
}

// The method interrupted runs the study and interrupts it during the training of SMLM, after two
// epochs are in the event file.
func (s *study) interrupted(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hangs)
	defer stop()
	whole := s.funcs[stages.SMLM]
	s.funcs[stages.SMLM] = func(ctx context.Context, job *stage.Job) error {
		text, err := json.Marshal(fakebackend.Epochs(job.ID, 2))
		if err != nil {
			return err
		}
		testkit.WriteFile(t, filepath.Join(job.Scratch, stage.EpochsFile), string(text))
		through := func() bool {
			text, _ := os.ReadFile(s.found(t, job.Name, job.ID))
			lines, err := readEvents(text)
			return err == nil && len(lines) == 2
		}
		for !through() && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		if ctx.Err() != nil {
			t.Error("the curve did not come through while the training went on")
		}
		stop()
		<-ctx.Done()
		return ctx.Err()
	}
	lacks, err := s.run(ctx, t)
	testkit.WantError(t, err, userr.Interrupted)
	if lacks != nil {
		t.Error(lacks)
	}
	s.funcs[stages.SMLM] = whole
}

// TestFollow: curves are written while a training runs. After an interruption, the next run writes
// no step twice. At the end, every training has its event file.
func TestFollow(t *testing.T) {
	s := newStudy(t)
	s.interrupted(t)
	for range 2 { // the second run finds all stages finished
		if lacks, err := s.run(t.Context(), t); err != nil || lacks != nil {
			t.Fatal(err, lacks)
		}
	}
	all := s.written(t)
	// For each of 2 values of lambda_eps, there are 3 transfer models, so there are 6 trainings of
	// transfer models. The 4 other trainings are those of the classifier, fastText, the
	// Diversity-LSTM and the language model.
	if entries, err := os.ReadDir(s.folder()); len(all) != 4+6 || len(entries) != len(all) {
		t.Errorf("%d stages, %d folders, %v", len(all), len(entries), err)
	}
	for of, steps := range all {
		var want []string
		for _, s := range steps {
			want = append(want, s.line())
		}
		if d := cmp.Diff(want, eventsIn(t, s.found(t, of.Name, of.ID))); d != "" {
			t.Errorf("%s: %s", of.Title(), d)
		}
	}
}

// TestWrittenAgain: an event file is replaced if its content no longer matches the stage, for
// example after the stage was forced to run again. A stage keeps its folder when its label changes.
func TestWrittenAgain(t *testing.T) {
	s := newStudy(t)
	if lacks, err := s.run(t.Context(), t); err != nil || lacks != nil {
		t.Fatal(err, lacks)
	}
	of := s.plan.Named(stages.SMLM)[0]
	path := s.found(t, of.Name, of.ID)
	want := eventsIn(t, path)
	testkit.WriteFile(t, path, strings.Repeat("something else ", 1000))
	of.Label += ", lr 0.1"
	if err := s.follow(t, time.Hour).Stop(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, eventsIn(t, s.found(t, of.Name, of.ID))); d != "" {
		t.Error(d)
	}
}

// TestHostileFiles: someone else's workspace may have a link, a pipe or a huge file instead of an
// event file. The Follower does not follow the link, wait for the pipe or read the huge file into
// memory. Its error is one sentence.
func TestHostileFiles(t *testing.T) {
	for name, put := range map[string]func(path, mine string) error{
		"link": func(path, mine string) error { return os.Symlink(mine, path) },
		"pipe": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"of much nothing": func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	} {
		s := newStudy(t)
		if lacks, err := s.run(t.Context(), t); err != nil || lacks != nil {
			t.Fatal(err, lacks)
		}
		of := s.plan.Named(stages.SMLM)[0]
		path := s.found(t, of.Name, of.ID)
		want := eventsIn(t, path)
		mine := filepath.Join(t.TempDir(), "mine")
		testkit.WriteFile(t, mine, "text of mine")
		if err := errors.Join(os.Remove(path), put(path, mine)); err != nil {
			t.Fatal(err)
		}
		err := s.follow(t, time.Hour).Stop()
		if name == "of much nothing" {
			if d := cmp.Diff(want, eventsIn(t, path)); d != "" || err != nil {
				t.Errorf("%s: %v %s", name, err, d)
			}
			continue
		}
		if !errors.Is(err, files.ErrNotRegular) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(mine); err != nil || string(text) != "text of mine" {
			t.Errorf("%s: the file is now %q, %v", name, text, err)
		}
	}
}

// TestTrackIsNoSetting: stages have the same identities with and without [track].
func TestTrackIsNoSetting(t *testing.T) {
	with := newStudy(t).plan
	text, err := os.ReadFile(with.Experiment.Path)
	if err != nil {
		t.Fatal(err)
	}
	plain, _, _ := strings.Cut(string(text), "[track]")
	testkit.WriteFile(t, with.Experiment.Path, plain)
	e, err := experiment.Load(with.Experiment.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	without, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	for i, stage := range with.Stages {
		if stage.ID != without.Stages[i].ID {
			t.Errorf("%s has another identity", stage.Title())
		}
	}
}
