package report

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// rankedMetric is a column in which the best value of a data set is marked; higher is better.
type rankedMetric struct {
	head     string
	of       func(metrics.Metrics) *float64
	decimals int
}

// systems makes a table of transfer systems without name, title and notes: one row a point, then the published systems of the same data
// set, data sets apart. Columns are the data set, the system, the swept settings and the seed, the data set and the seed only where they
// differ; then ranked, the best and second-best value marked among all rows of a data set; then more, unranked, whose cells come from
// moreCells (nil: none).
func systems(rows []ResultRow, ranked []rankedMetric, more []string, moreCells func(*metrics.Report) []Cell) *Table {
	rows = inSystemOrder(rows)
	var axes [][]Axis
	var seeds []uint64
	for _, r := range rows {
		axes = append(axes, r.Axes)
		if !r.Published {
			seeds = append(seeds, r.Seed)
		}
	}
	keys := axisKeys(axes)
	withData, withSeed := len(datasetOrder(rows)) > 1, severalSeeds(seeds)

	t := &Table{}
	if withData {
		t.Columns = append(t.Columns, Column{Head: "Data set", Merge: true})
	}
	t.Columns = append(t.Columns, Column{Head: "System"})
	t.Columns = append(t.Columns, axisColumns(keys, axes)...)
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right})
	}
	firstMetric := len(t.Columns)
	t.Columns = append(t.Columns, rankedColumns(ranked)...)
	for _, head := range more {
		t.Columns = append(t.Columns, Column{Head: head, Align: Center})
	}

	for i, r := range rows {
		row := Row{Rule: i > 0 && (rows[i-1].Dataset != r.Dataset || rows[i-1].Published != r.Published)}
		if withData {
			row.Cells = append(row.Cells, Cell{Text: r.Dataset})
		}
		row.Cells = append(row.Cells, Cell{Text: r.System})
		row.Cells = append(row.Cells, axisCells(keys, r.Axes)...)
		if withSeed {
			text := ""
			if !r.Published {
				text = fmt.Sprint(r.Seed)
			}
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		row.Cells = append(row.Cells, rankedCells(ranked, r.Metrics.Metrics)...)
		if moreCells != nil {
			row.Cells = append(row.Cells, moreCells(r.Metrics)...)
		}
		t.Rows = append(t.Rows, row)
	}
	rankByDataset(t.Rows, rows, firstMetric, len(ranked))
	return t
}

// inSystemOrder keeps the data sets in the order of their first rows and puts the published systems of each last.
func inSystemOrder(rows []ResultRow) []ResultRow {
	rows = slices.Clone(rows)
	order := datasetOrder(rows)
	slices.SortStableFunc(rows, func(a, b ResultRow) int {
		if d := order[a.Dataset] - order[b.Dataset]; d != 0 {
			return d
		}
		return boolInt(a.Published) - boolInt(b.Published)
	})
	return rows
}

// ofOnly is " of NAME" where all rows are of one data set, which then has no column.
func ofOnly(rows []ResultRow) string {
	if len(datasetOrder(rows)) == 1 {
		return " of " + rows[0].Dataset
	}
	return ""
}

// rankedColumns are the heads of metrics.
func rankedColumns(ranked []rankedMetric) []Column {
	columns := make([]Column, len(ranked))
	for i, m := range ranked {
		columns[i] = Column{Head: m.head, Align: Right}
	}
	return columns
}

// rankedCells formats the metrics, absent ones as Absent.
func rankedCells(ranked []rankedMetric, all metrics.Metrics) []Cell {
	cells := make([]Cell, len(ranked))
	for i, m := range ranked {
		cells[i] = optional(m.of(all), func(v float64) string { return decimals(v, m.decimals) })
	}
	return cells
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
