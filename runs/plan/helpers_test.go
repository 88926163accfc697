package plan

import (
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// load writes text as an experiment file beside a tiny data set, which has sentences of no style
// too, and loads it.
func load(t *testing.T, text string, set ...string) *experiment.Experiment {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	writeNoStyle(t, filepath.Join(dir, "data"))
	return loadIn(t, dir, text, set...)
}

// writeNoStyle adds sentences of no style to a folder.
func writeNoStyle(t *testing.T, dir string) {
	t.Helper()
	for _, split := range []corpus.Split{corpus.Dev, corpus.Test} {
		name := corpus.FileName(split, corpus.NoStyle)
		testkit.WriteLines(t, filepath.Join(dir, name), 2, "words of no style of "+split.String())
	}
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

func newPlan(t *testing.T, e *experiment.Experiment) *Plan {
	t.Helper()
	p, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
