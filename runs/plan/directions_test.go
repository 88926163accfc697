package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestDirections: where one direction is asked for, what writes and fine-tunes is another stage,
// and nothing else that trains is; both directions named are none chosen.
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

// TestLengths: a length of a direction makes other guided outputs of SMLM and SMLM-FT, where they
// have slots, and other scores, and changes nothing else; one that is the length of all directions
// changes nothing.
func TestLengths(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	plan := func(set ...string) *Plan { return newPlan(t, loadIn(t, dir, allMatters, set...)) }
	const slots = "smlm.slots=2"
	before, none := ids(plan(slots)), ids(plan())
	for _, c := range []struct {
		before map[stage.Name][]string
		set    []string
	}{
		{none, []string{"guided.lengths=['0 -> 1: 3']"}},
		{before, []string{slots, "guided.lengths=[]"}},
		{before, []string{slots, "guided.lengths=['1->0:-2', '0 -> 1: -2.0']"}},
	} {
		if !equalIDs(c.before, ids(plan(c.set...))) {
			t.Errorf("%q makes other stages", c.set)
		}
	}
	p := plan(slots, "guided.lengths=['1 -> 0: 0.5', '0 -> 1: -2']")
	for name, all := range ids(p) {
		differs := slices.Contains([]stage.Name{stages.Transfer, stages.Score, stages.Embedding}, name)
		if slices.Equal(before[name], all) == differs {
			t.Errorf("%s: differs should be %v", name, differs)
		}
	}
	want := []stages.LengthOf{{Direction: corpus.Direction{From: 1, To: 0}, Length: .5}}
	for _, m := range p.Points[0].Models {
		of := m.Transfer.Settings.(stages.TransferSettings)
		reads := m.Decoding == recipe.GuidedDecoding && m.Model != "smlm-g"
		if got := of.Lengths; reads && !slices.Equal(got, want) || !reads && got != nil {
			t.Errorf("%s, %s: lengths %+v", m.Model, m.Decoding, got)
		}
	}
	for _, c := range []struct{ key, lengths, want string }{
		{"guided.lengths", "['0 -> 2: 1']", `"0 -> 2: 1" is not of a direction of tiny: write one like "0 -> 1: -3", with ` +
			`the styles "0" or "1"`},
		{"datasets.tiny.guided.lengths", "['2 -> 1: 1']", "is not of a direction of tiny"},
		{"guided.lengths", "['0->1: 1', '0 -> 1: 2']", `"0 -> 1: 2" is of a direction that has a length already`},
	} {
		_, err := New(loadIn(t, dir, allMatters, c.key+"="+c.lengths))
		testkit.WantError(t, err, userr.BadInput, "--set "+c.key+"="+c.lengths+": "+c.key+": ", c.want)
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is told more than once: %v", c.lengths, err)
		}
	}
}

// TestNegations: negations make other guided outputs where they are ranked, and other scores, and
// change nothing else; how they are spaced does not matter.
func TestNegations(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	plan := func(set ...string) *Plan { return newPlan(t, loadIn(t, dir, allMatters, set...)) }
	const ranked, some = "guided.ranked=true", `guided.negations=["ca n't -> can", "not ->"]`
	none := plan(ranked, "guided.negations=[]")
	if !equalIDs(ids(plan()), ids(plan(some))) || !equalIDs(ids(plan(ranked)), ids(none)) {
		t.Error("negations that nothing reads make other stages")
	}
	p, before := plan(ranked, some), ids(plan(ranked))
	if !equalIDs(ids(p), ids(plan(ranked, `guided.negations=[" ca  n't->can", "not->"]`))) {
		t.Error("spaces make other stages")
	}
	for name, all := range ids(p) {
		differs := slices.Contains([]stage.Name{stages.Transfer, stages.Score, stages.Embedding}, name)
		if slices.Equal(before[name], all) == differs {
			t.Errorf("%s: differs should be %v", name, differs)
		}
	}
	for _, m := range p.Points[0].Models {
		of := m.Transfer.Settings.(stages.TransferSettings)
		reads := m.Decoding == recipe.GuidedDecoding && m.Model != "smlm-g"
		if got := of.Negations; reads && len(got) != 2 || !reads && got != nil {
			t.Errorf("%s, %s: negations %+v", m.Model, m.Decoding, got)
		}
	}
}

// equalIDs tells whether two plans have the same stages.
func equalIDs(a, b map[stage.Name][]string) bool {
	for name := range a {
		if !slices.Equal(a[name], b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestOneWayData: references and a system's outputs may be of one direction. There is a row of
// people then.
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
		for _, row := range p.Published {
			rows = append(rows, row.System)
		}
		if !slices.Equal(rows, []string{"S", stages.HumanReferences}) {
			t.Errorf("%s: rows of %q", directions, rows)
		}
	}
	p := newPlan(t, loadIn(t, dir, allMatters, "datasets.tiny.directions=['1 -> 0']"))
	if d := p.Data["tiny"]; d.HasRefs || !slices.Equal(d.Directions, []corpus.Direction{{From: 1, To: 0}}) {
		t.Errorf("from 1 to 0 there are references %t, directions %v", d.HasRefs, d.Directions)
	}
}
