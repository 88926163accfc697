package results

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// seeds has two settings of a system with two seeds each, of which the second is better on average
// and the first in its best seed, and a published system.
func seeds() *Results {
	row := func(system, epsilon string, seed uint64, mean float64) report.ResultRow {
		r := report.ResultRow{System: system, Seed: seed, Published: epsilon == "", Dataset: "tiny"}
		if epsilon != "" {
			r.Axes = []report.Axis{{Key: "lambda_eps", Value: epsilon}}
		}
		r.Metrics = &metrics.Scores{Metrics: metrics.Values{"mean": mean}}
		return r
	}
	r := &Results{}
	r.Results = []report.ResultRow{
		row("SMLM", "0", 1, 80), row("SMLM", "0.5", 1, 75), row("SMLM", "0", 2, 60), row("SMLM", "0.5", 2, 74),
		row("DirR", "", 0, 71),
	}
	return r
}

// TestFindSeeds: a name means one row, or all seeds of one choice of settings.
func TestFindSeeds(t *testing.T) {
	r := seeds()
	for name, want := range map[string][]int{
		"SMLM:lambda_eps=0": {0, 2}, "SMLM:lambda_eps=0.5": {1, 3}, "SMLM:lambda_eps=0,seed=2": {2}, "DirR": {4},
		"smlm:lambda_eps=0": {0, 2}, "dirr": {4},
	} {
		if got, err := r.Find("", name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s means rows %v, want %v; %v", name, got, want, err)
		}
	}
	_, err := r.Find("tiny", "SMLM:seed=1")
	testkit.WantError(t, err, userr.BadInput,
		"\"SMLM:seed=1\" means 2 rows: use one of these:\n  \"SMLM:lambda_eps=0,seed=1\"\n  \"SMLM:lambda_eps=0.5,seed=1\"")
}

// TestFindListsRows: what is no row is told which there are, one a line, and how many are left out.
func TestFindListsRows(t *testing.T) {
	r := seeds()
	for seed := uint64(3); len(r.Results) < mostNames; seed++ {
		row := r.Results[0]
		row.Seed = seed
		r.Results = append(r.Results, row)
	}
	lines := func() []string {
		_, err := r.Find("tiny", "nobody")
		testkit.WantError(t, err, userr.BadInput, `"nobody" is not a finished row: use one of these:`)
		return strings.Split(err.Error(), "\n")[1:]
	}
	if got := lines(); len(got) != mostNames || got[4] != `  "DirR"` || got[5] != `  "SMLM:lambda_eps=0,seed=3"` {
		t.Errorf("%d lines: %q", len(got), got)
	}
	r.Results = append(r.Results, r.Results[0], r.Results[0])
	if got := lines(); len(got) != mostNames+1 || got[mostNames] != "  and 2 more: the table of results has them all" {
		t.Errorf("%d lines: %q", len(got), got)
	}
}

// TestBestOfSeeds: the best by Mean is so on average over seeds.
func TestBestOfSeeds(t *testing.T) {
	r := seeds()
	best := r.best(r.groups(r.of("tiny")))
	if !slices.Equal(best, []int{1, 3}) {
		t.Errorf("best are rows %v, want 1 and 3", best)
	}
	for want, group := range map[string][]int{
		"SMLM (lambda_eps 0.5, 2 seeds)": best, "SMLM (lambda_eps 0, seed 2)": {2}, "DirR": {4},
	} {
		if got := r.title(group); got != want {
			t.Errorf("rows %v are called %q, want %q", group, got, want)
		}
	}
	r.Results[3].Unranked = true
	if best := r.best(r.groups(r.of("tiny"))); !slices.Equal(best, []int{4}) && !slices.Equal(best, []int{0, 2}) {
		t.Errorf("best are rows %v although one of them cannot be ranked", best)
	}
}
