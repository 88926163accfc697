package plan

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestOrdered: whether the styles are ordered is part of the identity of every score, and of no
// other stage. A data set with two styles cannot be ordered.
func TestOrdered(t *testing.T) {
	const three = "report.tables = ['main', 'selection']\n[datasets.three]\ndir = 'data'\nunseen = 'none'\n"
	dir := t.TempDir()
	testkit.WriteThree(t, filepath.Join(dir, "data"), 3)
	before, after := newPlan(t, loadIn(t, dir, three)), newPlan(t, loadIn(t, dir, three, "datasets.three.ordered=true"))
	known := map[string]bool{}
	for _, s := range before.Stages {
		known[s.ID] = true
	}
	changed := map[stage.Name]int{}
	for _, s := range after.Stages {
		if !known[s.ID] {
			changed[s.Name]++
		} else if slices.Contains([]stage.Name{stages.Score, stages.Published}, s.Name) {
			t.Errorf("%s does not know of the order", s.Title())
		}
	}
	for _, name := range []stage.Name{stages.Score, stages.Published} {
		if changed[name] == 0 {
			t.Errorf("no %s is another: %v", name, changed)
		}
		delete(changed, name)
	}
	if len(changed) > 0 {
		t.Errorf("other stages too: %v", changed)
	}
	_, err := New(load(t, "[datasets.tiny]\ndir = 'data'\nordered = true\n"))
	testkit.WantError(t, err, userr.BadInput,
		"datasets.tiny.ordered: there are two styles, and both are next to each other: remove the key")
}
