package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// A point with a flaw is dropped for that: its value has a sign, which the legend and a note
// explain; where none has, neither is there.
func TestSearchSignsFlaws(t *testing.T) {
	high, low := 91.5, 60.25
	rows := []SearchRow{
		{Dataset: "demo", Number: 1, Rung: 1, Value: &high, Decision: "dropped"},
		{Dataset: "demo", Number: 2, Rung: 1, Value: &low, Decision: "chosen"},
	}
	rule := &SearchRule{Points: 2, System: "SMLM (copied)", Metric: metrics.ColumnsOf("mean")[0]}
	for _, flaws := range [][]*metrics.Flaw{
		nil, {metrics.Collapsed}, {metrics.LeftUnchanged}, {metrics.Shortened}, metrics.AllFlaws(),
	} {
		rows[0].Flaws = flaws
		table := Search(rows, rule, About{})
		j := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Head == "dev Mean" })
		want := metrics.Signs(flaws)
		if got := table.Rows[0].Cells[j]; got.Text != "91.5" || got.Sign != want || table.Rows[1].Cells[j].Sign != "" {
			t.Errorf("flaws %q: %+v", want, got)
		}
		for _, said := range [][]string{table.Legend, table.Notes} {
			for _, f := range metrics.AllFlaws() {
				has := slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, f.Sign) })
				if has != slices.Contains(flaws, f) {
					t.Errorf("flaws %q: said is %q", want, said)
				}
			}
		}
	}
}
