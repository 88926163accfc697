package runs

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// The method written opens the workspace and collects the results like a new process. It then
// writes the tables, the figures and the page.
func (l *lab) written() (*results.Results, error) {
	l.t.Helper()
	ws, err := workspace.Open(l.ws.Dir)
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := results.Collect(l.plan, ws)
	if err == nil {
		err = r.Test(l.t.Context())
	}
	if err == nil {
		err = r.WriteTables(r.Tables())
	}
	var figures []results.NamedFigure
	if err == nil {
		figures, err = r.Figures()
	}
	if err == nil {
		err = r.WriteFigures(figures)
	}
	if err == nil {
		_, err = r.WritePage("")
	}
	return r, err
}

// The method made returns the content of all files that l.written writes, by path.
func (l *lab) made() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	for _, path := range slices.Concat(l.onDisk("tables"), l.onDisk("figures"), l.onDisk("reports")) {
		out[path] = string(read(l.t, l.ws.Path(path)))
	}
	return out
}

// The function tested returns a lab whose study is finished and has written a table of significance
// tests and a figure.
func tested(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, "masking.lambda_eps=[0, 1]", "smlm.models=['smlm']", "smlm.decoding=['copied']",
		"report.figures=['tradeoff']", "report.tables=['results','significance']")
	l.results()
	l.scoredAs(func(job *stage.Job) int { return map[bool]int{true: 9, false: 3}[job.Name == stages.Published] })
	l.mustRun(Options{})
	if r, err := l.written(); err != nil || len(r.Significance) == 0 {
		t.Fatalf("tests %v, %v", r.Significance, err)
	}
	return l
}

// TestTestsAreRemembered checks that significance tests are computed only once for the same
// outputs, and again for other outputs.
func TestTestsAreRemembered(t *testing.T) {
	l := tested(t)
	before := l.made()
	scored := l.plan.Named(stages.Score)[0]
	path := filepath.Join(l.ws.StageDir(scored), "sentences.jsonl")
	kept := read(t, path)
	testkit.WriteFile(t, path, strings.Repeat("x", len(kept))) // no effect: saved test results are used
	if _, err := l.written(); err != nil {
		t.Fatal(err)
	}
	if after := l.made(); !maps.Equal(before, after) {
		t.Error("tests that were remembered are others")
	}
	memory := l.ws.Path("tables", l.plan.Experiment.Name, ".significance")
	text := read(t, memory)
	text[len(text)/2] ^= 1
	testkit.WriteFile(t, memory, string(text))
	_, err := l.written()
	testkit.WantError(t, err, userr.StageFailed, "is damaged", path)
	testkit.WriteFile(t, path, string(kept))
	if _, err := l.written(); err != nil || !maps.Equal(before, l.made()) {
		t.Errorf("made again, tests are others: %v", err)
	}
	l.scoredAs(func(*stage.Job) int { return 5 })
	l.mustRun(Options{Force: []string{"score"}})
	if _, err := l.written(); err != nil || maps.Equal(before, l.made()) {
		t.Errorf("tests of other outputs are the same: %v", err)
	}
}
