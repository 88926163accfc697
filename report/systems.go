package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// systemColumns are the figures of a table of transfer systems, from the left.
type systemColumns struct {
	ranked   []*metrics.Metric // the best and second-best value of a data set are marked; higher is better
	plain    []*metrics.Metric // unranked
	collapse bool              // the three columns of collapse
	last     []*metrics.Metric // unranked, after those
}

// systems makes a table of transfer systems without name, title and notes: one row a point, then the published systems of the same data
// set, data sets apart. Columns are the data set, the system, the swept settings and the seed, the data set and the seed only where they
// differ; then those of c, without metrics that no row has: the keys of these are returned. Collapsed systems are marked and not ranked.
func systems(rows []ResultRow, c systemColumns) (t *Table, absent []string) {
	rows = inSystemOrder(rows)
	have := func(m *metrics.Metric) bool {
		known := len(rows) == 0 || anyHas(rows, m)
		if !known {
			absent = append(absent, m.Key)
		}
		return known
	}
	ranked, unranked, last := filter(c.ranked, have), filter(c.plain, have), filter(c.last, have)
	l := systemLabels(rows)
	t = &Table{Columns: l.columns, labels: len(l.columns)}
	for _, m := range slices.Concat(ranked, unranked) {
		t.Columns = append(t.Columns, metricColumn(m))
	}
	if c.collapse {
		t.Columns = append(t.Columns, inDirections(collapseHeads)...)
	}
	for _, m := range last {
		t.Columns = append(t.Columns, metricColumn(m))
	}
	for i := range rows {
		r := &rows[i]
		row := Row{
			Cells: l.cells(r), dataset: r.Dataset, name: r.System,
			Rule: i > 0 && (rows[i-1].Dataset != r.Dataset || rows[i-1].Published != r.Published),
		}
		for _, m := range slices.Concat(ranked, unranked) {
			row.Cells = append(row.Cells, metricCell(m, r.Metrics.Metrics))
		}
		if c.collapse {
			row.Cells = append(row.Cells, directionCells(r.Metrics)...)
		}
		for _, m := range last {
			row.Cells = append(row.Cells, metricCell(m, r.Metrics.Metrics))
		}
		t.Rows = append(t.Rows, row)
	}
	competes := func(i int) bool { return !rows[i].Unranked && !rows[i].Metrics.Collapsed() }
	rankByDataset(t.Rows, len(l.columns), len(ranked), competes)
	for i := range rows {
		if rows[i].Metrics.Collapsed() {
			t.sign(i, collapsedSign, l.system, t.column(meanKey))
		}
	}
	return t, absent
}

// sign puts a sign behind cells of a row; a column of -1 is passed over.
func (t *Table) sign(row int, sign string, columns ...int) {
	for _, j := range columns {
		if j >= 0 {
			t.Rows[row].Cells[j].Sign += sign
		}
	}
}

// column returns the index of the column with a key, -1 where there is none.
func (t *Table) column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.key == key })
}

// labels are the columns that say what a row of transfer systems is.
type labels struct {
	columns            []Column
	system             int // the index of the system's name
	withData, withSeed bool
	keys               []string // of the swept settings
}

func systemLabels(rows []ResultRow) labels {
	var axes [][]Axis
	var seeds []uint64
	for _, r := range rows {
		axes = append(axes, r.Axes)
		if !r.Published {
			seeds = append(seeds, r.Seed)
		}
	}
	l := labels{withData: len(datasetOrder(rows)) > 1, withSeed: severalSeeds(seeds), keys: axisKeys(axes)}
	if l.withData {
		l.columns = append(l.columns, Column{Head: "Data set", Merge: true})
	}
	l.system = len(l.columns)
	l.columns = append(l.columns, Column{Head: "System"})
	l.columns = append(l.columns, axisColumns(l.keys, axes)...)
	if l.withSeed {
		l.columns = append(l.columns, Column{Head: "seed", Align: Right, setting: true})
	}
	return l
}

// cells formats the labels of one row.
func (l *labels) cells(r *ResultRow) []Cell {
	var cells []Cell
	if l.withData {
		cells = append(cells, Cell{Text: r.Dataset})
	}
	cells = append(cells, Cell{Text: r.System})
	cells = append(cells, axisCells(l.keys, r.Axes)...)
	if l.withSeed {
		text := ""
		if !r.Published {
			text = fmt.Sprint(r.Seed)
		}
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

// inSystemOrder keeps the data sets in the order of their first rows and puts the published systems of each last.
func inSystemOrder(rows []ResultRow) []ResultRow {
	rows = slices.Clone(rows)
	order := datasetOrder(rows)
	slices.SortStableFunc(rows, func(a, b ResultRow) int { return bySystem(order, &a, &b) })
	return rows
}

// bySystem compares two rows by data set and by whether they are published.
func bySystem(order map[string]int, a, b *ResultRow) int {
	if d := order[a.Dataset] - order[b.Dataset]; d != 0 {
		return d
	}
	return boolInt(a.Published) - boolInt(b.Published)
}

// ofOnly is " of NAME" where all rows are of one data set, which then has no column.
func ofOnly(rows []ResultRow) string {
	if len(datasetOrder(rows)) == 1 {
		return " of " + rows[0].Dataset
	}
	return ""
}

func datasetOrder(rows []ResultRow) map[string]int {
	return firstSeen(rows, func(r ResultRow) string { return r.Dataset })
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// judges returns the metrics of all judges of naturalness, in order, where there are several.
func judges(rows []ResultRow) []*metrics.Metric {
	names := map[string]bool{}
	for _, r := range rows {
		for _, name := range r.Metrics.Metrics.Judges() {
			names[name] = true
		}
	}
	if len(names) < 2 {
		return nil
	}
	return filter(metrics.Columns(sortedKeys(names)...), func(m *metrics.Metric) bool { return strings.HasPrefix(m.Key, "naturalness_by.") })
}

// anyHas says whether a metric is known of any row.
func anyHas(rows []ResultRow, m *metrics.Metric) bool {
	return slices.ContainsFunc(rows, func(r ResultRow) bool { _, known := r.Metrics.Metrics[m.Key]; return known })
}
