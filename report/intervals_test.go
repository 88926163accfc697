package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
)

func TestIntervals(t *testing.T) {
	rows := []IntervalRow{
		{
			ResultRow{Dataset: "market", System: "Tag", Published: true},
			map[string]metrics.Interval{
				"mean": {Value: 70.004, Low: 69, High: 71.5}, "own": {Value: 1, Low: 0, High: 2},
			},
		},
		{
			ResultRow{Dataset: "market", System: "SMLM", Metrics: constructed()[0].Metrics},
			map[string]metrics.Interval{
				"s_bleu": {Value: 60.81, Low: 58.94, High: 62.7}, "mean": {Value: 79, Low: 78, High: 80},
			},
		},
	}
	table := Intervals(rows, About{})
	if got, want := heads(table), "System,s-BLEU,Mean,own,most frequent new word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM‡|60.8 [58.9, 62.7]|79.0 [78.0, 80.0]‡|–|98.0 / 98.0",
		"Tag|–|70.0 [69.0, 71.5]|1.00 [0.00, 2.00]|–",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	var latex strings.Builder
	if err := table.Write(&latex, "latex"); err != nil {
		t.Fatal(err)
	}
	if text := latex.String(); !strings.Contains(text, "System & s-BLEU & Mean \\\\\n") || strings.Contains(text, "new word") {
		t.Errorf("LaTeX has other columns:\n%s", text)
	}
	if rows[0].System != "Tag" {
		t.Error("the caller's rows are in another order")
	}
}

// LaTeX has an interval of each metric of the main table, that of the judge of unseen text too.
func TestIntervalsInLaTeX(t *testing.T) {
	keys := []string{"tst", "tst_unseen", "r_bleu", "s_bleu", "naturalness", "mean", "meteor"}
	row := IntervalRow{
		ResultRow{Dataset: "market", System: "SMLM", Metrics: constructed()[0].Metrics}, map[string]metrics.Interval{},
	}
	for _, key := range keys {
		row.Intervals[key] = metrics.Interval{Value: 0.5, Low: 0.4, High: 0.6}
	}
	var main []string
	for _, m := range metrics.ColumnsOf(keys...) {
		if m.Group == metrics.GroupResults {
			main = append(main, m.Key)
		}
	}
	var inLaTeX []string
	for _, c := range Intervals([]IntervalRow{row}, About{}).Columns[1:] {
		if !c.NotInLaTeX {
			inLaTeX = append(inLaTeX, c.Key)
		}
	}
	if d := cmp.Diff(main, inLaTeX); d != "" {
		t.Errorf("columns in LaTeX (-of Main +got):\n%s", d)
	}
}
