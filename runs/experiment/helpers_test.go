package experiment

import (
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// load writes text as an experiment file beside a tiny data set and loads it.
func load(t *testing.T, text string, set ...string) *Experiment {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), text)
	e, err := Load(filepath.Join(dir, "e.toml"), set)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
