package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/search"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// halvingStudy draws 9 learning rates, which train for 1, 3 and 9 epochs.
const halvingStudy = `name = "small"
seeds = [1, 2]
[datasets.tiny]
dir = "data"
[smlm]
models = ["smlm", "smlm-g"]
decoding = ["copied"]
[metrics]
meteor = false
embedding = false
[search]
method = "halving"
points = 9
seed = 3
maximise = "Mean"
model = "smlm"
budget = "smlm.epochs"
min = 1
max = 9
[search.space]
smlm.lr = {log = [1e-4, 1e-1]}
smlm.dropout = {choice = [0.1, 0.2]}
`

// hunter is a lab whose dev figure is the better the nearer the learning rate is to 0.003, and the
// longer the training was; the test figure says the opposite.
type hunter struct {
	*lab
	fails func(lr float64, epochs int) bool
	stop  context.CancelFunc
	left  int      // stages until stop; negative: never
	began []string // names and identities
}

func newHunter(t *testing.T, text string, set ...string) *hunter {
	h := &hunter{lab: newLabOf(t, text, set...), left: -1, fails: func(float64, int) bool { return false }}
	h.results()
	data := filepath.Join(filepath.Dir(h.plan.Experiment.Path), "data")
	testkit.WriteLines(t, filepath.Join(data, "train.0.txt"), 120, "other words") // enough to train what measures
	train := h.funcs[stages.SMLM]
	h.funcs[stages.SMLM] = func(ctx context.Context, job *stage.Job) error {
		var s stages.SMLMSettings
		if err := json.Unmarshal(job.Settings, &s); err != nil {
			return err
		}
		if h.fails(s.LR, s.Epochs) {
			return errors.New("the loss is NaN")
		}
		far := s.LR / 0.003
		if far < 1 {
			far = 1 / far
		}
		err := os.WriteFile(filepath.Join(job.Dir, "good"), []byte(fmt.Sprint(float64(s.Epochs)/far)), 0o644)
		return errors.Join(err, train(ctx, job))
	}
	plain := h.funcs[stages.Transfer]
	h.funcs[stages.Transfer] = func(ctx context.Context, job *stage.Job) error {
		good, _ := os.ReadFile(filepath.Join(job.Inputs["model"], "good")) // none of another model
		return errors.Join(os.WriteFile(filepath.Join(job.Dir, "good"), good, 0o644), plain(ctx, job))
	}
	h.funcs[stages.Score] = func(_ context.Context, job *stage.Job) error {
		var s stages.ScoreSettings
		if err := json.Unmarshal(job.Settings, &s); err != nil {
			return err
		}
		var good float64
		text, err := os.ReadFile(filepath.Join(job.Inputs["transfer"], "good"))
		if _, no := fmt.Sscan(string(text), &good); err != nil || no != nil && len(text) > 0 {
			return errors.Join(err, no)
		}
		if !s.Dev {
			good = -good
		}
		return fakebackend.WriteScores(job, &metrics.Scores{Metrics: metrics.Values{"tst": 1, "mean": good}})
	}
	for k, f := range h.funcs {
		h.funcs[k] = func(ctx context.Context, job *stage.Job) error {
			if h.left--; h.left == 0 {
				h.stop()
				return ctx.Err()
			}
			h.began = append(h.began, string(job.Name)+"/"+job.ID)
			return f(ctx, job)
		}
	}
	return h
}

// times counts the stages of a name that ran.
func (h *hunter) times(name stage.Name) (n int) {
	for _, s := range h.began {
		if strings.HasPrefix(s, string(name)+"/") {
			n++
		}
	}
	return n
}

// backend runs stages by a function of the tests.
type backend struct {
	stages.Torch
	code stage.Func
}

func (b backend) Run(ctx context.Context, job *stage.Job) error { return b.code(ctx, job) }

// all runs the study, until so many stages have begun.
func (h *hunter) all(t *testing.T, stages int) error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	h.stop, h.left = stop, stages
	e := h.plan.Experiment
	study, err := Open(File{Path: e.Path, Set: e.Set, Workspace: h.ws.Dir})
	if err != nil {
		t.Fatal(err)
	}
	err = study.Run(ctx, Options{Out: &h.out, Backend: backend{code: h.funcs.Run}})
	h.plan = study.Plan
	return err
}

// known loads and plans the experiment anew, as another process would.
func known(t *testing.T, h *hunter, ws *workspace.Workspace) *plan.Plan {
	t.Helper()
	e, err := experiment.Load(h.plan.Experiment.Path, h.plan.Experiment.Set)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := search.Grow(newPlan(t, e), ws)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decided is the decisions as lines: "rung 2 point 3: kept".
func (h *hunter) decided(t *testing.T) (lines []string) {
	t.Helper()
	all, err := search.Decisions(h.plan, h.ws)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		line := fmt.Sprintf("rung %d point %d %s: %s", d.Trial.Rung, d.Trial.Number, axesOf(d), d.State)
		if d.Figure != nil {
			line += fmt.Sprintf(" %.4g", *d.Figure)
		}
		lines = append(lines, line)
	}
	return lines
}

func axesOf(d search.Decision) string {
	var parts []string
	for _, a := range d.Axes {
		parts = append(parts, a.Key+" "+a.Value)
	}
	return strings.Join(parts, ", ")
}

// TestHalving: nine points train for one epoch, the best three for three, the best for nine. Only
// that one is measured on the test set, and no other stage reads it.
func TestHalving(t *testing.T) {
	h := newHunter(t, halvingStudy)
	if err := h.all(t, -1); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, filepath.Join("testdata", "halving.txt"), strings.Join(h.decided(t), "\n")+"\n")
	if n := h.times(stages.SMLM); n != 2*(9+3+1) {
		t.Errorf("%d trainings of SMLM", n)
	}
	if n := h.times(stages.SMLMG); n != 2 { // of the chosen point, a seed each
		t.Errorf("%d trainings of SMLM-G", n)
	}
	if n := h.times(stages.Score); n != 2*(9+3+1)+2*2+1*2 { // dev of all; test, and dev of SMLM-G, of the chosen
		t.Errorf("%d scores", n)
	}
	for _, p := range h.plan.Points {
		if !p.Point.DevOnly {
			continue
		}
		for _, m := range p.Models {
			readsNo(t, m.Dev, stages.TestSet, stages.Classifier, stages.LM)
		}
	}
	r, err := results.Collect(h.plan, h.ws)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 2*2+1 || r.Missing != 0 { // two models, two seeds, the human references
		t.Errorf("%d rows of the test set, %d points missing", len(r.Results), r.Missing)
	}
	for _, name := range []string{"search", "selection"} {
		if tables := r.Tables(name); len(tables) != 1 || len(tables[0].Rows) < 13 {
			t.Errorf("table %s: %v", name, tables)
		} else if name == "search" {
			var text strings.Builder
			if err := tables[0].Write(&text, "markdown"); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, filepath.Join("testdata", "halving.md"), text.String())
		}
	}
}

// readsNo fails where a stage rests on one of some names.
func readsNo(t *testing.T, s *plan.Stage, names ...stage.Name) {
	t.Helper()
	if slices.Contains(names, s.Name) {
		t.Errorf("a point that is not chosen rests on %s", s.Title())
	}
	for _, in := range s.Inputs {
		readsNo(t, in, names...)
	}
}

// TestHalvingInterrupted: a search that is interrupted again and again, each time going on as a new
// process, decides what one decides that never was, and runs no stage twice.
func TestHalvingInterrupted(t *testing.T) {
	whole := newHunter(t, halvingStudy)
	if err := whole.all(t, -1); err != nil {
		t.Fatal(err)
	}
	h := newHunter(t, halvingStudy)
	for tries := 0; ; tries++ {
		err := h.all(t, 17)
		if err == nil {
			break
		}
		testkit.WantError(t, err, userr.Interrupted)
		if tries > 100 {
			t.Fatal("it never ends")
		}
	}
	if d := cmp.Diff(whole.decided(t), h.decided(t)); d != "" {
		t.Errorf("decisions differ: %s", d)
	}
	slices.Sort(h.began)
	slices.Sort(whole.began)
	if d := cmp.Diff(whole.began, h.began); d != "" {
		t.Errorf("other stages ran, or some twice: %s", d)
	}
	before := h.decided(t)
	ws, err := workspace.Open(h.ws.Dir) // the decisions are in the workspace alone
	if err != nil {
		t.Fatal(err)
	}
	h.plan = known(t, h, ws)
	if d := cmp.Diff(before, h.decided(t)); d != "" {
		t.Errorf("another process sees other decisions: %s", d)
	}
}

// TestHalvingFailures: points that fail are dropped and told of, once; the search goes on, and the
// next run tries them again.
func TestHalvingFailures(t *testing.T) {
	h := newHunter(t, halvingStudy)
	tried := map[string]int{}
	h.fails = func(lr float64, epochs int) bool {
		if lr > 0.01 {
			tried[fmt.Sprint(lr, epochs)]++
		}
		return lr > 0.01
	}
	err := h.all(t, -1)
	testkit.WantError(t, err, userr.StageFailed, "the loss is NaN")
	lines := h.decided(t)
	failed := 0
	for _, line := range lines {
		if strings.HasSuffix(line, ": failed") {
			failed++
		}
	}
	if failed == 0 || strings.Count(err.Error(), "the loss is NaN") != 2*failed { // two seeds each
		t.Errorf("%d points failed: %v\n%s", failed, err, strings.Join(lines, "\n"))
	}
	for what, n := range tried {
		if n != 2 { // two seeds
			t.Errorf("%s was tried %d times", what, n)
		}
	}
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, ": chosen") }) {
		t.Errorf("nothing is chosen: %s", strings.Join(lines, "\n"))
	}
	h.fails = func(float64, int) bool { return false }
	if err := h.all(t, -1); err != nil {
		t.Fatal(err)
	}
	whole := newHunter(t, halvingStudy)
	if err := whole.all(t, -1); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole.decided(t), h.decided(t)); d != "" {
		t.Errorf("once nothing fails the decisions are others: %s", d)
	}
}

// TestRandomSearch: one rung, whose points are known beforehand; the lowest figure is best where it
// is to be minimised.
func TestRandomSearch(t *testing.T) {
	text := strings.NewReplacer(`"halving"`, `"random"`, "points = 9", "points = 5", "budget = \"smlm.epochs\"\nmin = 1\nmax = 9\n", "",
		"maximise", "minimise").Replace(halvingStudy)
	h := newHunter(t, text)
	p := known(t, h, h.ws)
	if len(p.Points) != 2*5 || p.Points[0].Point.Settings.SMLM.Epochs != 15 {
		t.Fatalf("%d points", len(p.Points))
	}
	if lines, err := search.Progress(p, h.ws); err != nil || !slices.Equal(lines, []string{
		"search on tiny: 5 points, 5 not scored yet; then only the best of them is measured on the test set",
	}) {
		t.Errorf("%q, %v", lines, err)
	}
	if err := h.all(t, -1); err != nil {
		t.Fatal(err)
	}
	all, err := search.Decisions(h.plan, h.ws)
	if err != nil {
		t.Fatal(err)
	}
	lowest, chosen := 1e9, 0.0
	for _, d := range all {
		lowest = min(lowest, *d.Figure)
		if d.State == search.Chosen {
			chosen = *d.Figure
		}
	}
	if chosen != lowest || len(all) != 5 {
		t.Errorf("chosen %v of %d, the lowest is %v", chosen, len(all), lowest)
	}
	lines, err := search.Progress(h.plan, h.ws)
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "is chosen") {
		t.Errorf("%q, %v", lines, err)
	}
}
