package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// A point that has collapsed is dropped for that: its value has a mark, which the legend and a
// note explain; where none has, neither is there.
func TestSearchMarksCollapsed(t *testing.T) {
	high, low := 91.5, 60.25
	rows := []SearchRow{
		{Dataset: "demo", Number: 1, Rung: 1, Value: &high, Decision: "dropped"},
		{Dataset: "demo", Number: 2, Rung: 1, Value: &low, Decision: "chosen"},
	}
	rule := &SearchRule{Points: 2, System: "SMLM (copied)", Metric: metrics.ColumnsOf("mean")[0]}
	for _, collapsed := range []bool{false, true} {
		rows[0].Collapsed = collapsed
		table := Search(rows, rule, About{})
		j := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Head == "dev Mean" })
		want := ""
		if collapsed {
			want = collapsedSign
		}
		if got := table.Rows[0].Cells[j]; got.Text != "91.50" || got.Sign != want || table.Rows[1].Cells[j].Sign != "" {
			t.Errorf("collapsed %v: %+v", collapsed, got)
		}
		for _, said := range [][]string{table.Legend, table.Notes} {
			has := slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, collapsedSign) })
			if has != collapsed {
				t.Errorf("collapsed %v: said is %q", collapsed, said)
			}
		}
	}
}
