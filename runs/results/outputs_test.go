package results

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestOutputFileNames: no two rows of a data set have files of one name, in any letter case, and a
// name holds nothing that a file system reads as something else.
func TestOutputFileNames(t *testing.T) {
	ours := func(dataset, system string, seed uint64, axes ...report.Axis) report.ResultRow {
		return report.ResultRow{Dataset: dataset, System: system, Seed: seed, Axes: axes}
	}
	theirs := func(system string) report.ResultRow {
		return report.ResultRow{Dataset: "one", System: system, Published: true}
	}
	r := &Results{Results: []report.ResultRow{
		ours("one", "SMLM", 1), ours("one", "SMLM", 2), ours("two", "SMLM", 1),
		ours("one", "SMLM-G", 1, report.Axis{Key: "decoding", Value: "guided"}, report.Axis{Key: "guided.gamma", Value: "1.5"}),
		ours("one", "SMLM", 1, report.Axis{Key: "variant", Value: "a/b c"}),
		theirs("Del Gen"), theirs("del_gen"), theirs("..up"), theirs("DirR"),
	}}
	got := r.fileNames([]int{0, 1, 2, 3, 4, 5, 6, 7, 8})
	want := []string{
		"SMLM-seed=1", "SMLM-seed=2", "SMLM-seed=1", "SMLM-G-guided-guided.gamma=1.5-seed=1", "SMLM-variant=a_b_c-seed=1",
		"Del_Gen", "del_gen-2", "_..up", "DirR",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOutputRows: without names all systems of ours, with names each with all of its rows, once.
func TestOutputRows(t *testing.T) {
	r := seeds()
	r.plan = &plan.Plan{Experiment: &experiment.Experiment{File: "study.toml"}}
	for _, c := range []struct {
		names []string
		want  []int
	}{
		{nil, []int{0, 1, 2, 3}},
		{[]string{"SMLM (lambda_eps 0.5)", "DirR", "SMLM:seed=2"}, []int{1, 2, 3, 4}},
	} {
		if got, err := r.outputRows(c.names); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: rows %v, want %v; %v", c.names, got, c.want, err)
		}
	}
	r.Results = r.Results[4:]
	_, err := r.outputRows(nil)
	testkit.WantError(t, err, userr.BadInput, "no system of study.toml has finished outputs: run `smlm-exp run study.toml` first")
}
