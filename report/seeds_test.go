package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
)

func TestSeedStats(t *testing.T) {
	// (2, 4, 4, 4, 5, 5, 7, 9): squares sum to 32; 32/7.
	if m, d := SeedStats([]float64{2, 4, 4, 4, 5, 5, 7, 9}); m != 5 || math.Abs(d-math.Sqrt(32./7)) > 1e-12 {
		t.Errorf("mean %v, deviation %v", m, d)
	}
	if m, d := SeedStats([]float64{3}); m != 3 || !math.IsNaN(d) {
		t.Errorf("of one seed: %v, %v", m, d)
	}
	if m, d := SeedStats(nil); !math.IsNaN(m) || !math.IsNaN(d) {
		t.Errorf("of none: %v, %v", m, d)
	}
}

// Means and deviations by hand: 60, 62, 64 have mean 62 and deviation 2; a seed that has collapsed
// keeps its group from being ranked.
func TestSeedMeans(t *testing.T) {
	row := func(system string, seed uint64, tst, mean, share float64) ResultRow {
		return ResultRow{
			Dataset: "market", System: system, Seed: seed,
			Metrics: scores(tst, -1, 50, .8, mean, share, .1, 10, 10, 0, 0),
		}
	}
	rows := []ResultRow{
		row("SMLM", 1, 60, 70, .1), row("SMLM-FT", 1, 95, 90, .1), row("SMLM", 2, 62, 71, .3),
		row("SMLM-FT", 2, 97, 91, .9), row("SMLM", 3, 64, 72, .2), row("SMLM-G", 1, 50, 60, .1),
		row("Tag", 0, 88, 73, .1),
	}
	rows[6].Published = true
	table := SeedMeans(rows, About{Seeds: []uint64{1, 2, 3}})
	if got, want := heads(table), "System,n,TST%,s-BLEU,Nat.,Mean,most frequent new word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM|3|62.0 ± 2.0|50.0 ± 0.0|0.80 ± 0.00|71.0 ± 1.0|30.0",
		"SMLM-FT‡|2|96.0 ± 1.4|50.0 ± 0.0|0.80 ± 0.00|90.5 ± 0.7‡|90.0",
		"SMLM-G|1|50.0|50.0|0.80|60.0|10.0",
		"Tag|1|88.0|50.0|0.80|73.0|10.0",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	var m []Mark
	for _, r := range table.Rows[:4] {
		m = append(m, r.Cells[5].Mark)
	}
	if !slices.Equal(m, []Mark{Second, Plain, Plain, Best}) {
		t.Errorf("marks of Mean %v", m)
	}
	if notes := strings.Join(said(table), "\n"); !strings.Contains(notes, "SMLM-FT (seed 2)") || strings.Contains(notes,
		"SMLM-FT (seed 1)") {
		t.Errorf("notes:\n%s", notes)
	}
	// Points of a sweep are groups of their own.
	rows[2].Axes = []Axis{{Key: "lambda_eps", Value: "0.5"}}
	if got := len(SeedMeans(rows, About{}).Rows); got != 5 {
		t.Errorf("%d rows, want 5", got)
	}
}

// TestSelectionSaysWhatMeasures: the numbers of dev outputs are not explained as those of the test
// set are.
func TestSelectionSaysWhatMeasures(t *testing.T) {
	selection, seeds := Selection(studySeeds(), studyAbout()), SeedMeans(studySeeds(), studyAbout())
	for _, m := range metrics.ColumnsOf("tst", "perplexity") {
		if slices.Contains(selection.Defines, m.Note) || !slices.Contains(seeds.Defines, m.Note) {
			t.Errorf("%s: defined as %q and %q", m.Key, selection.Defines, seeds.Defines)
		}
	}
	if !slices.Contains(selection.Notes, selectedBy) || slices.Contains(seeds.Notes, selectedBy) {
		t.Errorf("notes %q and %q", selection.Notes, seeds.Notes)
	}
}
