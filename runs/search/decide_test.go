package search

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"pgregory.net/rapid"
)

// TestFigures: every figure that a file may name is a column of the tables of results, which that
// of selections has too.
func TestFigures(t *testing.T) {
	for _, name := range experiment.SelectionMetrics {
		if m := Metric(name); m.Group != metrics.GroupResults && m.Group != metrics.GroupFluency || m.Aside {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// TestSentence: as many go on as the next rung has; none that is left behind is better, by figure,
// by flaws or, among equals, by number; what failed goes nowhere.
func TestSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &experiment.Search{SearchSettings: experiment.SearchSettings{Maximise: "Mean"}}
		sign := 1.0
		if rapid.Bool().Draw(t, "lowest") {
			s.Maximise, s.Minimise, sign = "", "PPL", -1
		}
		next := rapid.IntRange(1, 4).Draw(t, "next")
		s.Rungs = []experiment.Rung{{Points: 10}, {Points: next}}
		rung := make([]Decision, rapid.IntRange(1, 10).Draw(t, "points"))
		at, able := rapid.IntRange(1, 2).Draw(t, "rung"), 0
		for i := range rung {
			d := &rung[i]
			d.Trial, d.State = experiment.Trial{Number: i + 1, Rung: at}, Scored
			if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
				d.State = Failed
				continue
			}
			able++
			v := float64(rapid.IntRange(0, 5).Draw(t, "figure"))
			d.Figure = &v
			d.Flaws = rapid.SampledFrom([][]*metrics.Flaw{
				nil, {metrics.Collapsed}, {metrics.LeftUnchanged}, {metrics.Shortened}, metrics.AllFlaws(),
			}).Draw(t, "flaws")
		}
		sentence(rung, s)
		good, wanted := Kept, next
		if at == 2 {
			good, wanted = Chosen, 1
		}
		var on, off []Decision
		for _, d := range rung {
			switch d.State {
			case good:
				on = append(on, d)
			case Dropped:
				off = append(off, d)
			case Failed:
				if d.Figure != nil {
					t.Errorf("point %d has a figure and failed", d.Trial.Number)
				}
			default:
				t.Errorf("point %d: %s", d.Trial.Number, d.State)
			}
		}
		if len(on) != min(wanted, able) {
			t.Errorf("%d go on of %d, of which %d may", len(on), able, wanted)
		}
		better := func(a, b Decision) bool {
			if (a.Flaws == nil) != (b.Flaws == nil) {
				return a.Flaws == nil
			}
			if *a.Figure != *b.Figure {
				return sign*(*a.Figure) > sign*(*b.Figure)
			}
			return a.Trial.Number < b.Trial.Number
		}
		for _, d := range off {
			if slices.ContainsFunc(on, func(o Decision) bool { return better(d, o) }) {
				t.Errorf("point %d is left behind by a worse one", d.Trial.Number)
			}
		}
	})
}
