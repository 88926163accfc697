package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// seedNote says what the figures are.
const seedNote = "Mean ± standard deviation (n - 1) over seeds; n: their number; one seed has no deviation. " +
	"Commonest new word: its largest share in any direction of any seed."

// SeedMeans is the table of means and deviations over seeds: the rows of Results, grouped by data set, system and swept settings, with the same
// columns. A group of which any seed has collapsed is marked and not ranked.
func SeedMeans(rows []ResultRow, about About) *Table {
	groups, withData := seedGroups(inSystemOrder(rows)), len(datasetOrder(rows)) > 1
	first := make([]ResultRow, len(groups))
	for i, g := range groups {
		first[i] = g[0]
		first[i].Seed = 0 // no column of seeds
	}
	l := systemLabels(first)
	t := &Table{Name: "seeds", Title: "Mean and deviation over seeds on the test set" + ofOnly(rows) + ".", Columns: append(l.columns, Column{Head: "n", Align: Right, setting: true}), paper: "results"}
	t.labels = len(t.Columns)
	ranked := inGroup(metrics.GroupResults)
	var absent []string
	shown := filter(slices.Concat(ranked, inGroup(metrics.GroupFluency)), func(m *metrics.Metric) bool {
		has := anyHas(rows, m)
		if !has {
			absent = append(absent, m.Key)
		}
		return has
	})
	for _, m := range shown {
		t.Columns = append(t.Columns, metricColumn(m).split("", "deviation"))
	}
	t.Columns = append(t.Columns, Column{Head: collapseHeads[0].Head, Align: Right, key: collapseHeads[0].key})
	for i, g := range groups {
		row := Row{Cells: append(l.cells(&first[i]), Cell{Text: fmt.Sprint(len(g))}), dataset: g[0].Dataset, name: g[0].System}
		row.Rule = i > 0 && (groups[i-1][0].Dataset != g[0].Dataset || groups[i-1][0].Published != g[0].Published)
		for _, m := range shown {
			row.Cells = append(row.Cells, meanCell(g, m))
		}
		row.Cells = append(row.Cells, Cell{Text: share(largestShare(g))})
		t.Rows = append(t.Rows, row)
	}
	collapsed := func(i int) bool {
		return slices.ContainsFunc(groups[i], func(r ResultRow) bool { return r.Metrics.Collapsed() })
	}
	n := len(filter(ranked, func(m *metrics.Metric) bool { return t.column(m.Key) >= 0 }))
	rankByDataset(t.Rows, t.labels, n, func(i int) bool { return !groups[i][0].Unranked && !collapsed(i) })
	for i := range groups {
		if collapsed(i) {
			t.sign(i, collapsedSign, l.system, t.column(meanKey))
		}
	}
	t.Notes = append(about.notesOf(t, absent), seedNote)
	t.Notes = append(t.Notes, collapsedNotes(inSystemOrder(rows), withData)...)
	return t
}

// seedGroups puts rows together that differ in the seed alone, in order of first appearance.
func seedGroups(rows []ResultRow) [][]ResultRow {
	key := func(r ResultRow) string {
		return strings.Join([]string{r.Dataset, r.System, fmt.Sprint(r.Published), axesText(r.Axes)}, "\x00")
	}
	order := firstSeen(rows, key)
	groups := make([][]ResultRow, len(order))
	for _, r := range rows {
		k := order[key(r)]
		groups[k] = append(groups[k], r)
	}
	return groups
}

// meanCell formats the mean of a metric over those rows that have it, with the deviation where there are several.
func meanCell(rows []ResultRow, m *metrics.Metric) Cell {
	var values []float64
	for _, r := range rows {
		if v, known := r.Metrics.Metrics[m.Key]; known {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Cell{Text: Absent}
	}
	mean, deviation := metrics.SeedStats(values)
	cell := Cell{Text: decimals(mean, m.Decimals)}
	if len(values) > 1 {
		of := decimals(deviation, m.Decimals)
		cell.Parts = []string{cell.Text, of}
		cell.Text += " ± " + of
	}
	return cell
}

// largestShare is that of the commonest new word over directions and seeds.
func largestShare(rows []ResultRow) float64 {
	most := 0.0
	for _, r := range rows {
		for _, d := range r.Metrics.Directions {
			most = max(most, d.CommonestNewWordShare)
		}
	}
	return most
}
