package runs

import (
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// load writes text as an experiment file next to a tiny data set and loads it.
func load(t *testing.T, text string, set ...string) *experiment.Experiment {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	return loadIn(t, dir, text, set...)
}

func loadIn(t *testing.T, dir, text string, set ...string) *experiment.Experiment {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), text)
	e, err := experiment.Load(filepath.Join(dir, "e.toml"), set)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newPlan(t *testing.T, e *experiment.Experiment) *plan.Plan {
	t.Helper()
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
