package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// lab is a workspace with fake stage functions, which record the jobs that they get.
type lab struct {
	t      *testing.T
	plan   *plan.Plan
	ws     *workspace.Workspace
	out    strings.Builder
	ran    []string // NAME/ID of the stages that ran, in order
	jobs   map[stage.Name]*stage.Job
	funcs  fakebackend.Funcs
	copies map[string]bool // IDs of score stages whose outputs copy their sources; see the method rewritten
}

func newLab(t *testing.T, set ...string) *lab {
	t.Helper()
	return newLabOf(t, testkit.SmallStudy, set...)
}

func newLabOf(t *testing.T, text string, set ...string) *lab {
	t.Helper()
	e := load(t, text, set...)
	ws, err := workspace.Open(e.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{
		t: t, plan: newPlan(t, e), ws: ws, jobs: map[stage.Name]*stage.Job{}, funcs: fakebackend.Funcs{},
		copies: map[string]bool{},
	}
	for _, name := range stages.Names() {
		l.funcs[name] = l.work
	}
	return l
}

// work is the code of every fake stage. It writes one file. For stages that write text, it first
// runs their real code.
func (l *lab) work(ctx context.Context, job *stage.Job) error {
	l.ran = append(l.ran, string(job.Name)+"/"+job.ID)
	l.jobs[job.Name] = job
	job.Progress(1, 2, "half")
	if slices.Contains([]stage.Name{stages.Prepare, stages.TestSet, stages.Unseen}, job.Name) {
		if err := stages.Definition(job.Name).Run(ctx, job); err != nil {
			return err
		}
	}
	return fakebackend.OneFile(job)
}

func (l *lab) run(ctx context.Context, o Options) error {
	l.t.Helper()
	l.ran = nil
	l.out.Reset()
	o.Out = &l.out
	return Run(ctx, l.plan, l.ws, l.funcs.Run, o)
}

func (l *lab) mustRun(o Options) {
	l.t.Helper()
	if err := l.run(l.t.Context(), o); err != nil {
		l.t.Fatal(err)
	}
}

// onDisk lists the files of the workspace below dir.
func (l *lab) onDisk(dir string) []string {
	var out []string
	_ = filepath.WalkDir(filepath.Join(l.ws.Dir, dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(l.ws.Dir, path)
			out = append(out, rel)
		}
		return nil
	})
	return out
}

func (l *lab) count(name stage.Name) (n int) {
	for _, title := range l.ran {
		if strings.HasPrefix(title, string(name)+"/") {
			n++
		}
	}
	return n
}

// TestThreadsAreNoMoreThanCores: a number of threads that exceeds the cores, as after a typing
// error, is reduced with a message.
func TestThreadsAreNoMoreThanCores(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{Threads: 9999})
	if got := l.jobs[stages.Mask].Threads; got != runtime.NumCPU() {
		t.Errorf("%d threads on %d cores", got, runtime.NumCPU())
	}
	if want := fmt.Sprintf("9999 threads were asked for, but %d are used", runtime.NumCPU()); !strings.Contains(
		l.out.String(), want) {
		t.Errorf("nothing is said: %s", l.out.String())
	}
}

func TestRunAll(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{Threads: 1})
	if len(l.ran) != len(l.plan.Stages) {
		t.Errorf("%d stages ran of %d", len(l.ran), len(l.plan.Stages))
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(l.ran)))); n != len(l.ran) {
		t.Error("a stage ran twice")
	}
	text := func(file string) bool { return strings.HasSuffix(file, ".txt") && filepath.Base(file) != "out.txt" }
	written := slices.DeleteFunc(l.onDisk("stages"), func(file string) bool {
		return text(file) || filepath.Base(file) == "counts.json"
	})
	if got, want := len(written), 2*len(l.plan.Stages); got != want {
		t.Errorf("%d files under stages, want %d: out.txt and stage.json each", got, want)
	}
	for _, dir := range []string{"tmp", "failed", "scratch"} {
		if files := l.onDisk(dir); len(files) > 0 {
			t.Errorf("left in %s: %v", dir, files)
		}
	}
	l.mustRun(Options{})
	if len(l.ran) != 0 {
		t.Errorf("the second run ran %v", l.ran)
	}
	if want := fmt.Sprintf("nothing to run: %d stages finished before\n", len(l.plan.Stages)); l.out.String() != want {
		t.Errorf("the second run said %q, want %q", l.out.String(), want)
	}
}

func TestJobAndRecord(t *testing.T) {
	l := newLab(t)
	l.funcs[stages.Mask] = func(ctx context.Context, job *stage.Job) error {
		job.Log.Info("masked", "words", 7)
		return l.work(ctx, job)
	}
	l.mustRun(Options{Threads: 1})
	if got := l.jobs[stages.SMLM].Every; got != 5*time.Minute {
		t.Errorf("checkpoints every %v", got)
	}
	for _, name := range []stage.Name{stages.Prepare, stages.TestSet} {
		if got := l.jobs[name].Sources["dir"]; got != l.plan.Experiment.Datasets[0].Dir {
			t.Errorf("%s reads %q", name, got)
		}
	}
	var m stages.MaskSettings
	if err := json.Unmarshal(l.jobs[stages.Mask].Settings, &m); err != nil || m.Name != policy.Surplus ||
		m.LambdaEps != 0.5 {
		t.Errorf("settings of the last mask %s: %+v, %v", l.jobs[stages.Mask].Settings, m, err)
	}
	if l.jobs[stages.Mask].Threads != 1 {
		t.Errorf("%d threads", l.jobs[stages.Mask].Threads)
	}
	for _, s := range l.plan.Stages {
		r, err := l.ws.Record(s)
		if err != nil {
			t.Fatal(err)
		}
		if r.ID != s.ID || r.Name != s.Name || r.State != stage.Done ||
			r.Version != stages.Version(s.Name) || r.Threads != 1 || len(r.Inputs) != len(s.Inputs) ||
			r.End.Before(r.Start) || r.Seconds < 0 || r.Go == "" || len(r.Command) == 0 || r.Label != s.Label {
			t.Errorf("record %+v", r)
		}
		// Check that the identity can be computed from the record alone.
		text := plan.Canonical(
			map[string]any{"stage": r.Name, "version": r.Version, "settings": r.Settings, "inputs": r.Inputs},
		)
		if got := sha(text); got != s.ID {
			t.Errorf("identity from the record of %s is %s", s.Title(), got)
		}
		log := filepath.Join(l.ws.StageDir(s), "log.txt")
		if text, err := os.ReadFile(log); (s.Name == stages.Mask) != (err == nil) ||
			err == nil && !strings.Contains(string(text), "words=7") {
			t.Errorf("log of %s: %q, %v", s.Title(), text, err)
		}
	}
}

// TestDevices: a stage gets the device in the options or, if they name none, the device in the
// experiment file. stage.json records the device that the stage then used.
func TestDevices(t *testing.T) {
	for _, c := range []struct{ file, option, want string }{
		{"", "", "auto"}, {"cuda:1", "", "cuda:1"}, {"cuda:1", "cpu", "cpu"},
	} {
		var set []string
		if c.file != "" {
			set = []string{"devices=" + c.file}
		}
		l := newLab(t, set...)
		l.results()
		used := stage.Used{Device: "cuda:3", Model: "NVIDIA T0", Precision: "bf16"}
		for name, work := range l.funcs {
			l.funcs[name] = func(ctx context.Context, job *stage.Job) error {
				err := work(ctx, job)
				job.Used = map[bool]stage.Used{true: used}[name == stages.SMLM]
				return err
			}
		}
		l.mustRun(Options{Devices: c.option})
		if got := l.jobs[stages.SMLM].Devices; got != c.want {
			t.Errorf("file %q, option %q: the stage is told %q, want %q", c.file, c.option, got, c.want)
		}
		for _, s := range l.plan.Stages {
			r, err := l.ws.Record(s)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]stage.Used{true: used}[s.Name == stages.SMLM]; r.Used != want {
				t.Errorf("%s is recorded with %+v, want %+v", s.Name, r.Used, want)
			}
			if s.Name != stages.SMLM {
				continue
			}
			raw, err := os.ReadFile(filepath.Join(l.ws.StageDir(s), "stage.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{`"device": "cuda:3"`, `"gpu": "NVIDIA T0"`, `"precision": "bf16"`} {
				if !strings.Contains(string(raw), line) {
					t.Errorf("stage.json lacks %s:\n%s", line, raw)
				}
			}
		}
		notes := l.collected().About.Notes
		if want := "Trained on cuda:3 (NVIDIA T0) in bf16: SMLM."; !slices.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
}

func TestFailureStopsOnlyWhatNeedsIt(t *testing.T) {
	l := newLab(t)
	failing := true
	l.funcs[stages.SMLM] = func(ctx context.Context, job *stage.Job) error {
		if failing && strings.Contains(l.labelOf(job), "0.15") {
			job.Log.Error("the loss is not a number")
			_ = l.work(ctx, job) // the stage writes files before it fails
			return errors.New("loss is NaN\nat step 3")
		}
		return l.work(ctx, job)
	}
	err := l.run(t.Context(), Options{})
	testkit.WantError(
		t, err, userr.StageFailed, "stage smlm ", "(lambda_eps 0.15) failed: loss is NaN (its record is ",
		"skipped: 9 stages that need a failed one",
	)
	if n := strings.Count(err.Error(), "\n"); n != 1 {
		t.Errorf("%d sentences in %q", n+1, err)
	}
	// There are two sweep points. Each has an SMLM, an SMLM-G and an SMLM-FT, and each of these
	// models has a transfer and a score, for dev and for test sentences. If the first SMLM fails,
	// the four stages of this SMLM are skipped. The SMLM-FT of the same point and its four stages
	// are skipped too.
	for name, want := range map[stage.Name]int{
		stages.SMLMG: 2, stages.SMLMFT: 1, stages.Transfer: 8, stages.Score: 8, stages.Published: 1,
	} {
		if got := l.count(name); got != want {
			t.Errorf("%d %s stages ran, want %d", got, name, want)
		}
	}
	failed := l.stageWith(stages.SMLM, "0.15")
	if l.ws.Done(failed) || len(l.onDisk("tmp")) > 0 {
		t.Error("a failed stage left files behind")
	}
	r := l.ws.Failure(failed)
	if r == nil || r.State != "failed" || r.Error != "loss is NaN\nat step 3" {
		t.Errorf("record of the failure: %+v", r)
	}
	if log, err := os.ReadFile(l.ws.FailedPath(failed, ".log")); err != nil ||
		!strings.Contains(string(log), "not a number") {
		t.Errorf("log of the failure: %q, %v", log, err)
	}
	if !strings.Contains(l.out.String(), "level=ERROR msg=\"the loss is not a number\"") {
		t.Errorf("the error of the log is not shown: %s", l.out.String())
	}
	for _, s := range l.plan.Stages {
		if (s == failed) != (l.ws.Failure(s) != nil) {
			t.Errorf("%s has the failure %+v", s.Title(), l.ws.Failure(s))
		}
	}

	failing = false
	l.mustRun(Options{})
	if len(l.ran) != 10 {
		t.Errorf("the next run ran %d stages, want the 10 that were missing: %v", len(l.ran), l.ran)
	}
	if files := l.onDisk("failed"); len(files) > 0 {
		t.Errorf("records of failures that are mended: %v", files)
	}
}

func (l *lab) labelOf(job *stage.Job) string {
	for _, s := range l.plan.Stages {
		if s.ID == job.ID {
			return s.Label
		}
	}
	return ""
}

func (l *lab) stageWith(name stage.Name, label string) *plan.Stage {
	for _, s := range l.plan.Stages {
		if s.Name == name && strings.Contains(s.Label, label) {
			return s
		}
	}
	l.t.Fatalf("no stage %s %s", name, label)
	return nil
}

func TestStageThatWritesNothing(t *testing.T) {
	l := newLab(t)
	l.funcs[stages.Vocab] = func(context.Context, *stage.Job) error { return nil }
	testkit.WantError(
		t, l.run(t.Context(), Options{}), userr.StageFailed, "stage vocab", "without writing anything",
	)
}

func TestPanicIsAFailedStage(t *testing.T) {
	l := newLab(t)
	l.funcs[stages.Vocab] = func(context.Context, *stage.Job) error { panic("oh") }
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.StageFailed, "a bug in smlm-exp: oh")
	if log, _ := os.ReadFile(l.ws.FailedPath(l.stageWith(stages.Vocab, ""), ".log")); !strings.Contains(
		string(log),
		"run_test.go",
	) {
		t.Errorf("the log has no stack: %s", log)
	}
}

func TestMissingLibtorchEndsTheRun(t *testing.T) {
	l := newLab(t)
	l.funcs[stages.Vocab] = func(context.Context, *stage.Job) error { return userr.New(userr.NoTorch, "no libtorch") }
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.NoTorch, "no libtorch")
	if len(l.ran) != 2 { // only prepare and test-set
		t.Errorf("ran %v", l.ran)
	}
}

// TestInterrupt interrupts a run in the middle of a stage, as Ctrl-C does. The next run must not
// redo finished stages, and the interrupted stage must find its scratch folder again.
func TestInterrupt(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	var found string
	l.funcs[stages.SMLM] = func(ctx context.Context, job *stage.Job) error {
		checkpoint := filepath.Join(job.Scratch, "checkpoint")
		if text, err := os.ReadFile(checkpoint); err == nil {
			found = string(text)
		}
		if found != "" {
			return l.work(ctx, job)
		}
		if err := os.WriteFile(checkpoint, []byte("step 7"), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(job.Dir, "half"), []byte("x"), 0o644); err != nil {
			return err
		}
		cancel()
		<-ctx.Done()
		return fmt.Errorf("training: %w", ctx.Err())
	}
	err := l.run(ctx, Options{})
	before := slices.Clone(l.ran)
	testkit.WantError(t, err, userr.Interrupted, fmt.Sprintf("interrupted: %d of the %d stages to run "+
		"are finished and kept; the same command continues", len(before), len(l.plan.Stages)))
	if !errors.Is(err, context.Canceled) {
		t.Error("the error does not wrap context.Canceled")
	}
	interrupted := l.stageWith(stages.SMLM, "0.15")
	if l.ws.Done(interrupted) || l.ws.Failure(interrupted) != nil || len(l.onDisk("tmp")) > 0 {
		t.Error("the interrupted stage left more than its scratch")
	}
	if got := l.onDisk("scratch"); len(got) != 1 {
		t.Errorf("scratch holds %v, want the checkpoint", got)
	}
	l.mustRun(Options{})
	if found != "step 7" {
		t.Errorf("the checkpoint read %q", found)
	}
	for _, title := range before {
		if slices.Contains(l.ran, title) {
			t.Errorf("%s ran again", title)
		}
	}
	if len(before)+len(l.ran) != len(l.plan.Stages) || len(l.onDisk("scratch")) > 0 {
		t.Errorf("%d + %d stages of %d; scratch %v", len(before), len(l.ran), len(l.plan.Stages), l.onDisk("scratch"))
	}
}

// TestKilledRun: the next run removes the temporary folder that a killed run left.
func TestKilledRun(t *testing.T) {
	l := newLab(t)
	testkit.WriteFile(t, filepath.Join(l.ws.Dir, "version"), "3\n")
	testkit.WriteFile(t, filepath.Join(l.ws.Dir, "tmp", "smlm-123", "model.safetensors"), "half")
	l.mustRun(Options{})
	if files := l.onDisk("tmp"); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
}

func TestOnly(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{Only: []string{"attribution"}})
	var names []string
	for _, title := range l.ran {
		name, _, _ := strings.Cut(title, "/")
		names = append(names, name)
	}
	if got := strings.Join(names, " "); got != "prepare test-set vocab divlstm attribution attribution" {
		t.Errorf("ran %s", got)
	}
	one := l.stageWith(stages.Mask, "0.5")
	l.mustRun(Options{Only: []string{one.ID[:8]}})
	if len(l.ran) != 1 || !l.ws.Done(one) {
		t.Errorf("ran %v", l.ran)
	}
	scratch := filepath.Join(l.ws.ScratchDir(one), "checkpoint")
	testkit.WriteFile(t, scratch, "x")
	if todo, err := Todo(l.plan, l.ws, Options{Force: []string{"attribution"}, Only: []string{one.ID}}); err != nil ||
		len(todo) != 2 || todo[0].Name != stages.Attribution || todo[1] != one {
		t.Errorf("to run: %v, %v; want the forced attribution and the mask on it", todo, err)
	}
	if _, err := os.Stat(scratch); err != nil {
		t.Errorf("listing what is to run cleared the scratch: %v", err)
	}
	l.funcs[stages.Mask] = func(ctx context.Context, job *stage.Job) error {
		if _, err := os.Stat(scratch); err == nil {
			t.Error("a forced stage goes on from what an earlier try left")
		}
		return l.work(ctx, job)
	}
	l.mustRun(Options{Force: []string{"attribution"}, Only: []string{one.ID}})
	testkit.WantError(
		t, l.run(t.Context(), Options{Only: []string{"divlstn"}}), userr.BadInput,
		`--only divlstn: the plan has no such stage, did you mean "divlstm"?`,
	)
	testkit.WantError(t, l.run(t.Context(), Options{Only: []string{"unseen-cnn"}}), userr.BadInput,
		"--only unseen-cnn: the plan has no such stage: give a name") // the name is valid, but not in the plan
	testkit.WantError(
		t, l.run(t.Context(), Options{Force: []string{"00"}}), userr.BadInput, "--force 00: the plan has no such stage",
	)
}

// TestForce: a forced stage runs again, and so do the stages that are built on it. Stages of
// another experiment that were built on the old result are removed.
func TestForce(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{})
	other := newLab(t, "masking.lambda_eps=0.9")
	other.ws = l.ws
	other.mustRun(Options{})
	foreign := other.stageWith(stages.Mask, "")
	l.out.Reset()
	l.mustRun(Options{Force: []string{"attribution"}})
	first, _, _ := strings.Cut(l.out.String(), "started")
	for _, said := range []string{
		"--force attribution: runs again, with everything built on it: 2 attribution, 4 mask, 2 mask-score, 2 smlm, ",
		"smlm-exp: --force attribution also removes stages that were built on it and that this run does not make again: ",
		" 2 mask", ", made by `",
	} {
		if !strings.Contains(first, said) {
			t.Errorf("before the first stage %q is not said:\n%s", said, first)
		}
	}
	// The summands are: 1 attribution and 2 masks, for training and dev sentences and again for
	// test sentences; 2 mask scores; 6 trainings (2 points x 3 models); 6 transfers and 6 scores,
	// of dev and of test sentences.
	if got, want := len(l.ran), 2*(1+2)+2+6+2*(6+6); got != want {
		t.Errorf("%d stages ran, want %d", got, want)
	}
	if other.ws.Done(foreign) {
		t.Error("another experiment's mask of the old attribution is still there")
	}
	if !other.ws.Done(other.stageWith(stages.DivLSTM, "")) {
		t.Error("a stage that does not need the forced one is gone")
	}
	l.mustRun(Options{})
	if len(l.ran) != 0 {
		t.Errorf("ran %v", l.ran)
	}
}

// TestForceUnmakes checks that a forced run names the stages that it removes and does not make
// again, even with Quiet. It does not name stages that it makes again.
func TestForceUnmakes(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{})
	l.out.Reset()
	l.mustRun(Options{Force: []string{"smlm"}, Quiet: true})
	if l.out.Len() > 0 {
		t.Errorf("all is made again, and yet it is said: %s", l.out.String())
	}
	l.mustRun(Options{Force: []string{"smlm"}, Only: []string{"smlm"}, Quiet: true})
	want := regexp.MustCompile(`^smlm-exp: --force smlm also removes stages that were built on it and that this run does ` +
		"not make again: .*[0-9]+ score, 2 smlm-ft, .*, made by `[^`]+`\n$")
	if !want.MatchString(l.out.String()) {
		t.Errorf("taken away: %q, want %s", l.out.String(), want)
	}
	for _, name := range []stage.Name{stages.Transfer, stages.Score} {
		if gone := l.stageWith(name, ""); l.ws.Done(gone) {
			t.Errorf("%s is still there", gone.Title())
		}
	}
	l.mustRun(Options{})
}

func TestForceKeepsOldOnFailure(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{})
	l.funcs[stages.Vocab] = func(context.Context, *stage.Job) error { return errors.New("no") }
	testkit.WantError(t, l.run(t.Context(), Options{Force: []string{"vocab"}}), userr.StageFailed)
	for _, s := range l.plan.Stages {
		if !l.ws.Done(s) {
			t.Errorf("%s is gone although nothing took its place", s.Title())
		}
	}
}
