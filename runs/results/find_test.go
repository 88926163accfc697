package results

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
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
		"smlm:lambda_eps=0": {0, 2}, "dirr": {4}, "DirR ‡": {4},
		"SMLM (lambda_eps 0, 2 seeds)": {0, 2}, "SMLM (lambda_eps 0, seed 2)": {2}, "SMLM (0.5)": {1, 3},
		"smlm, lambda_eps=0.5": {1, 3}, "SMLM§ (0)": {0, 2},
	} {
		if got, err := r.Find("", name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s means rows %v, want %v; %v", name, got, want, err)
		}
	}
	_, err := r.Find("tiny", "SMLM:seed=1")
	testkit.WantError(t, err, userr.BadInput,
		`"SMLM:seed=1" means 2 rows: use "SMLM (lambda_eps 0, seed 1)" or "SMLM (lambda_eps 0.5, seed 1)"`)
}

// TestFindPrinted: rows are found by the names that the table main prints, and by no part of
// another system's name.
func TestFindPrinted(t *testing.T) {
	row := func(system string, axes ...string) report.ResultRow {
		r := report.ResultRow{System: system, Seed: 1, Dataset: "tiny", Metrics: &metrics.Scores{}}
		for i := 0; i < len(axes); i += 2 {
			r.Axes = append(r.Axes, report.Axis{Key: axes[i], Value: axes[i+1]})
		}
		return r
	}
	r := &Results{Results: []report.ResultRow{
		row("SMLM", "masking", "attention", "decoding", "copied"), row("SMLM", "masking", "attention", "decoding", "guided"),
		row("SMLM-G", "decoding", "predicted"), row("SMLM-G", "decoding", "copied", "guided.phrases", "true"),
		{System: "human references", Published: true, Dataset: "tiny"},
		{System: "Tag (2020)", Published: true, Dataset: "tiny"},
		{System: "Tag", Published: true, Dataset: "tiny"},
	}}
	for i := range r.Results {
		if got, err := r.Find("tiny", report.SystemOf(&r.Results[i])); err != nil || !slices.Equal(got, []int{i}) {
			t.Errorf("%s means rows %v, want %d; %v", report.SystemOf(&r.Results[i]), got, i, err)
		}
	}
	for name, want := range map[string]int{
		"SMLM (attention, guided)": 1, "SMLM (guided)": 1, "smlm (copied)": 0, "SMLM-G (predicted)": 2,
		"SMLM-G (copied, guided.phrases yes)": 3, "Human references": 4, "tag": 6, "Tag (2020)": 5,
	} {
		if got, err := r.Find("tiny", name); err != nil || !slices.Equal(got, []int{want}) {
			t.Errorf("%s means rows %v, want %d; %v", name, got, want, err)
		}
	}
	for name, want := range map[string]string{
		"SMLM (gided)": `"SMLM (gided)" is not a finished row: use "SMLM-G (predicted)", `,
		"SMLM-G (guided)": `"SMLM-G (guided)" is not a finished row: use "SMLM-G (predicted)", "Tag (2020)", ` +
			`"SMLM (attention, guided)", `,
		"SMLMG":           `"SMLMG" is not a finished row: use `,
		"SMLM (copied":    "",
		"human reference": `"human reference" is not a finished row: use "human references", `,
		"SMLM":            `"SMLM" means 2 rows: use "SMLM (attention, copied)" or "SMLM (attention, guided)"`,
	} {
		_, err := r.Find("tiny", name)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		testkit.WantError(t, err, userr.BadInput, want)
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a sentence: %q", err)
		}
	}
}

// TestFindAsMain: where dev outputs chose a point, a system's name means it, as in the table main.
func TestFindAsMain(t *testing.T) {
	r := seeds()
	for range r.Results {
		r.scores = append(r.scores, &plan.Stage{})
	}
	r.chosen = &pointChoice{shown: map[*plan.Stage]bool{r.scores[1]: true, r.scores[3]: true}}
	for name, want := range map[string][]int{
		"SMLM": {1, 3}, "SMLM:seed=2": {3}, "SMLM (lambda_eps 0)": {0, 2}, "DirR": {4},
	} {
		if got, err := r.FindAsMain("tiny", name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s means rows %v, want %v; %v", name, got, want, err)
		}
	}
	r.chosen.shown[r.scores[0]], r.chosen.shown[r.scores[2]] = true, true // nothing was chosen
	_, err := r.FindAsMain("tiny", "SMLM")
	testkit.WantError(t, err, userr.BadInput,
		`"SMLM" means 4 rows: use "SMLM (lambda_eps 0)" or "SMLM (lambda_eps 0.5)"`)
}

// TestFindListsRows: what is no row is told which there are, the nearest first, and how many are
// left out.
func TestFindListsRows(t *testing.T) {
	r := seeds()
	want := `"nobody" is not a finished row: use "DirR", "SMLM (lambda_eps 0)" or "SMLM (lambda_eps 0.5)"`
	_, err := r.Find("tiny", "nobody")
	testkit.WantError(t, err, userr.BadInput, want)
	for epsilon := 1; epsilon < 8; epsilon++ {
		row := r.Results[0]
		row.Axes = []report.Axis{{Key: "lambda_eps", Value: strconv.Itoa(epsilon)}}
		r.Results = append(r.Results, row)
	}
	_, err = r.Find("tiny", "smlm")
	testkit.WantError(t, err, userr.BadInput, `"smlm" means 11 rows: use "SMLM (lambda_eps 0)", `)
	_, err = r.Find("tiny", "smml (lambda_eps 7)")
	testkit.WantError(t, err, userr.BadInput, `is not a finished row: use "SMLM (lambda_eps 7)", "SMLM (lambda_eps 0)", `)
	if want := " or one of 2 others in the table of results"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%q does not end with %q", err, want)
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
