package track

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// hangs is how long a server may take to start or to answer: seconds on an idle machine.
const hangs = 4 * time.Minute

// study is a small study whose stages write curves and scores.
type study struct {
	exp   *experiment.Experiment
	funcs stage.Funcs
	ran   []*Run // what the last run had to mirror
}

func newStudy(t *testing.T, mlflow string) *study {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), testkit.SmallStudy+
		"[track]\ntensorboard = true\nfolder = \"events\"\nmlflow = \""+mlflow+"\"\n")
	e, err := experiment.Load(filepath.Join(dir, "e.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &study{exp: e, funcs: stage.Funcs{}}
	for _, k := range stages.Names() {
		s.funcs[k] = fakebackend.Backend{Varied: true}.Run
	}
	return s
}

// RunHere runs a plan's stages in this process: package runs does, which imports this one.
var RunHere func(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, code stage.Func) error

// run runs the study as a process of its own does, and returns what trackers lack and its error.
func (s *study) run(ctx context.Context, t *testing.T) ([]string, error) {
	t.Helper()
	p, err := plan.New(s.exp)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(s.exp.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Follow(s.exp, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	f.Watch(p)
	ran := RunHere(ctx, p, ws, s.funcs.Run)
	lacking := f.Stop()
	s.ran = append(f.found.trainings(p), f.found.scores(p)...)
	return lacking, ran
}

// interrupted has SMLM end two epochs, wait until they have come through, and be stopped.
func (s *study) interrupted(t *testing.T, through func(id string) bool) {
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
		for !through(job.ID) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		if ctx.Err() != nil {
			t.Error("the curve did not come through while the training went on")
		}
		stop()
		<-ctx.Done()
		return ctx.Err()
	}
	lacking, err := s.run(ctx, t)
	testkit.WantError(t, err, userr.Interrupted)
	if len(lacking) > 0 {
		t.Error(lacking)
	}
	s.funcs[stages.SMLM] = whole
}

// TestFollow: curves come through while a training goes on; when a run goes on from an interruption
// nothing is doubled in any tracker, and in the end all has every training and every score.
func TestFollow(t *testing.T) {
	f, address := newFakeMLflow(t)
	s := newStudy(t, address)
	folder := filepath.Join(filepath.Dir(s.exp.Path), "events", s.exp.Name)
	s.interrupted(t, func(id string) bool {
		found, _ := filepath.Glob(filepath.Join(folder, id[:12]+" *", eventFile))
		if len(found) == 0 {
			return false
		}
		steps, _, _ := readEvents(found[0])
		return len(steps) == 2
	})
	for range 2 { // the second time nothing is left to run
		if lacking, err := s.run(t.Context(), t); err != nil || len(lacking) > 0 {
			t.Fatal(err, lacking)
		}
	}
	// classifier, fastText, Diversity-LSTM, judge of TST% whole, language model; two lambda_eps x
	// three models, as trainings and as scores
	if len(s.ran) != 5+6+6 || len(f.runs) != len(s.ran) {
		t.Errorf("%d runs, %d at the server", len(s.ran), len(f.runs))
	}
	byID := map[string]*fakeRun{}
	for _, r := range f.runs {
		byID[r.identity] = r
	}
	var lines []string
	for _, r := range s.ran {
		var values, events []string
		text, _ := json.Marshal(line{Run: r.ID, Name: r.Name, Params: r.Params})
		lines = append(lines, string(text))
		for _, step := range r.Steps {
			at := step.Time.Round(time.Millisecond).UTC()
			text, _ := json.Marshal(line{Run: r.ID, Step: &step.Step, Time: &at, Values: step.Values})
			lines = append(lines, strings.Replace(string(text), at.Format(time.RFC3339Nano), "", 1))
			for name, v := range step.Values {
				values = append(values, fmt.Sprintf("%s %d %g", name, step.Step, v))
			}
			events = append(events, fmt.Sprintf("%d: %v", step.Step, short(step.Values)))
		}
		got := byID[r.ID]
		if slices.Sort(values); got == nil {
			t.Errorf("the server has no run %s", r.Name)
			continue
		}
		slices.Sort(got.metrics)
		if !slices.Equal(values, got.metrics) || got.status != finished || got.params["identity"] != r.ID {
			t.Errorf("%s: %v, want %v; %+v", r.Name, got.metrics, values, got.params)
		}
		var read []string
		for _, e := range stepsOf(t, folder, r.ID[:12]) {
			before, after, _ := strings.Cut(e, " at ")
			_, after, _ = strings.Cut(after, ": ")
			read = append(read, before+": "+after)
		}
		if !slices.Equal(read, events) {
			t.Errorf("%s: events %v, want %v", r.Name, read, events)
		}
	}
	written, err := os.ReadFile(filepath.Join(s.exp.Workspace, "tracks", s.exp.Name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for text := range strings.Lines(string(written)) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if text = strings.TrimSpace(text); l.Time != nil {
			text = strings.Replace(text, l.Time.Format(time.RFC3339Nano), "", 1)
		}
		got = append(got, text)
	}
	slices.Sort(got)
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		t.Errorf("JSON lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// TestFollowNobody: a server that is not there is one sentence without the password of its address,
// and the run is as it would be without it.
func TestFollowNobody(t *testing.T) {
	s := newStudy(t, "http://me:secret@127.0.0.1:9")
	lacking, err := s.run(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	if len(lacking) != 1 || !strings.HasPrefix(lacking[0], "MLflow at http://127.0.0.1:9 does not have everything (") ||
		strings.Contains(lacking[0], "secret") || strings.Contains(lacking[0], "\n") {
		t.Errorf("%q", lacking)
	}
	if _, err := os.Stat(filepath.Join(s.exp.Workspace, "tracks", "small.jsonl")); err != nil {
		t.Error("the other trackers stopped: ", err)
	}
}

// TestDrop: a run that could not begin sends nothing, though its plan is watched and has results.
func TestDrop(t *testing.T) {
	s := newStudy(t, "")
	if _, err := s.run(t.Context(), t); err != nil {
		t.Fatal(err)
	}
	sent := filepath.Join(s.exp.Workspace, "tracks")
	if err := os.RemoveAll(sent); err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(s.exp)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Follow(s.exp, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	f.Watch(p)
	f.Drop()
	if _, err := os.Stat(sent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was sent: %v", err)
	}
}

// TestTrackIsNoSetting: stages are the same with and without trackers.
func TestTrackIsNoSetting(t *testing.T) {
	s := newStudy(t, "http://127.0.0.1:9")
	with, err := plan.New(s.exp)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.exp.Path)
	if err != nil {
		t.Fatal(err)
	}
	plain, _, _ := strings.Cut(string(text), "[track]")
	testkit.WriteFile(t, s.exp.Path, plain)
	e, err := experiment.Load(s.exp.Path, nil)
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
