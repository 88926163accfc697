package plan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestDirections checks that choosing one direction gives new identities to the stages that
// fine-tune, rewrite or score, but not to other trainings. Naming all directions is the same as
// naming none.
func TestDirections(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	plan := func(set ...string) map[stage.Name][]string {
		return ids(newPlan(t, loadIn(t, dir, allMatters, set...)))
	}
	all := plan()
	if both := plan("datasets.tiny.directions=['1 -> 0','0->1']"); !equalIDs(all, both) {
		t.Error("all directions by name are other stages")
	}
	one := plan("datasets.tiny.directions=['0 -> 1']")
	var differ []string
	for name := range all {
		if !slices.Equal(all[name], one[name]) {
			differ = append(differ, string(name))
		}
	}
	slices.Sort(differ)
	for _, name := range []stage.Name{stages.SMLM, stages.SMLMG, stages.DivLSTM, stages.Mask, stages.TestSet} {
		if slices.Contains(differ, string(name)) {
			t.Errorf("%s depends on the directions", name)
		}
	}
	for _, name := range []stage.Name{stages.SMLMFT, stages.Transfer, stages.Score, stages.Published} {
		if !slices.Contains(differ, string(name)) {
			t.Errorf("%s does not depend on the directions", name)
		}
	}
	for _, c := range []struct{ directions, want string }{
		{"['0 - 1']", `"0 - 1" is not a direction between styles: write one like "0 -> 1", with the styles "0" or "1"`},
		{"['0 -> 0']", "is not a direction"},
		{"['0 -> 2']", "is not a direction"},
		{"['0->1', '0 -> 1']", `"0 -> 1" is there twice`},
	} {
		_, err := New(loadIn(t, dir, allMatters, "datasets.tiny.directions="+c.directions))
		testkit.WantError(t, err, userr.BadInput, "datasets.tiny.directions: ", c.want)
	}
}

// equalIDs reports whether two plans have the same stages.
func equalIDs(a, b map[stage.Name][]string) bool {
	for name := range a {
		if !slices.Equal(a[name], b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestOneWayData checks data sets whose references and system outputs exist for only one direction.
// The references still have a row if the experiment measures this direction.
func TestOneWayData(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	if err := os.Remove(filepath.Join(dir, "data", "reference.1.txt")); err != nil {
		t.Fatal(err)
	}
	testkit.WriteLines(t, filepath.Join(dir, "systems", "S.0.txt"), 3, "an output")
	for _, directions := range []string{"['0 -> 1', '1 -> 0']", "['0 -> 1']"} {
		p := newPlan(t, loadIn(t, dir, allMatters, "datasets.tiny.outputs=systems", "datasets.tiny.directions="+directions))
		var rows []string
		for _, s := range p.Named(stages.Published) {
			rows = append(rows, s.Points[0].SystemName())
		}
		if !slices.Equal(rows, []string{"S", data.References}) {
			t.Errorf("%s: rows of %q", directions, rows)
		}
	}
	p := newPlan(t, loadIn(t, dir, allMatters, "datasets.tiny.directions=['1 -> 0']"))
	if d := p.Sets["tiny"]; d.People != nil || !slices.Equal(d.Directions, []corpus.Direction{{From: 1, To: 0}}) {
		t.Errorf("from 1 to 0 there are references %v, directions %v", d.People, d.Directions)
	}
}
