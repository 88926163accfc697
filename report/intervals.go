package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// IntervalRow is a row of Results with the interval of each metric, by its key in the JSON of metrics.Metrics. Metrics may be nil: then nothing is
// known of collapse.
type IntervalRow struct {
	ResultRow
	Intervals map[string]metrics.Interval
}

// intervalNote says what stands in brackets.
const intervalNote = "In brackets: 95 % bootstrap interval over the test sentences, for this one trained model; training again may differ by more. " +
	"Commonest new word, per direction: its share among all new-word occurrences."

// Intervals is the table of figures with their bootstrap intervals, "60.8 [58.9, 62.7]": the labels and the order of Results, and a column for
// each metric that any row has. Nothing is ranked; collapsed systems are marked.
func Intervals(rows []IntervalRow, about About) *Table {
	systems := make([]ResultRow, len(rows))
	for i := range rows {
		systems[i] = rows[i].ResultRow
	}
	order := datasetOrder(systems)
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b IntervalRow) int { return bySystem(order, &a.ResultRow, &b.ResultRow) })
	systems = inSystemOrder(systems)
	of := map[string]bool{}
	for _, r := range rows {
		for key := range r.Intervals {
			of[key] = true
		}
	}
	l := systemLabels(systems)
	t := &Table{Name: "intervals", Title: "Figures with 95 % intervals on the test set" + ofOnly(systems) + ".", Columns: l.columns, labels: len(l.columns), paper: "results content"}
	shown := metrics.ColumnsOf(sortedKeys(of)...)
	for _, m := range shown {
		t.Columns = append(t.Columns, metricColumn(m).split("", "low", "high"))
	}
	t.Columns = append(t.Columns, inDirections(collapseHeads)[0])
	for i, r := range rows {
		row := Row{Cells: l.cells(&systems[i]), dataset: r.Dataset, name: r.System, Rule: i > 0 && (rows[i-1].Dataset != r.Dataset || rows[i-1].Published != r.Published)}
		for _, m := range shown {
			row.Cells = append(row.Cells, intervalCell(r.Intervals, m))
		}
		if r.Metrics == nil {
			row.Cells = append(row.Cells, Cell{Text: Absent})
		} else {
			row.Cells = append(row.Cells, directionCells(r.Metrics)[0])
		}
		t.Rows = append(t.Rows, row)
		if r.Metrics != nil && r.Metrics.Collapsed() {
			t.sign(i, collapsedSign, l.system, t.column(meanKey))
		}
	}
	t.Notes = append(about.notesOf(t, nil), intervalNote)
	systems = slices.DeleteFunc(systems, func(r ResultRow) bool { return r.Metrics == nil })
	t.Notes = append(t.Notes, collapsedNotes(systems, len(order) > 1)...)
	return t
}

// intervalCell formats a metric with its interval, Absent where it has none.
func intervalCell(of map[string]metrics.Interval, m *metrics.Metric) Cell {
	v, ok := of[m.Key]
	if !ok {
		return Cell{Text: Absent}
	}
	value, low, high := decimals(v.Value, m.Decimals), decimals(v.Low, m.Decimals), decimals(v.High, m.Decimals)
	return Cell{Text: value + " [" + low + ", " + high + "]", Parts: []string{value, low, high}}
}
