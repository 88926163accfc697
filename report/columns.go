// Package report makes the tables of a study, and the heat maps of single sentences. A file holds
// one table, or some that are alike; it declares what the table says of its rows, column by column.
// Package table renders it, and package paper sets the paper's values beside ours. A table shows
// what it is given: nothing here reads files, runs models or decides what is better.
package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// column is one column of a table of rows R: its head, and what it says of a row.
type column[R any] struct {
	table.Column
	cell   func(*R) table.Cell
	better metrics.Better // which values are marked
}

// left is a column of words.
func left[R any](head string, of func(*R) string) column[R] {
	return column[R]{
		Column: table.Column{Head: head}, cell: func(r *R) table.Cell { return table.Cell{Text: of(r)} },
	}
}

// merged is left of words that stand once for the rows that share them.
func merged[R any](head string, of func(*R) string) column[R] {
	c := left(head, of)
	c.Merge = true
	return c
}

// right is a column of numbers; key as table.Column has it.
func right[R any](head, key string, of func(*R) string) column[R] {
	c := left(head, of)
	c.Align, c.Key = table.Right, key
	return c
}

// fields is a column of numbers whose cells are a field in CSV for each ending, as Column.Split has
// them.
func fields[R any](head string, cell func(*R) table.Cell, endings ...string) column[R] {
	return column[R]{Column: table.Column{Head: head, Align: table.Right}.Split(endings...), cell: cell}
}

// number is a column of values with n decimals.
func number[R any](head, key string, n int, of func(*R) float64) column[R] {
	return optional(head, key, n, func(r *R) *float64 {
		v := of(r)
		return &v
	})
}

// optional is a column of values with n decimals that may be absent.
func optional[R any](head, key string, n int, of func(*R) *float64) column[R] {
	c := right[R](head, key, nil)
	c.cell = func(r *R) table.Cell { return table.Number(of(r), n) }
	return c
}

// count is right of a number of things.
func count[R any](head, key string, of func(*R) int) column[R] {
	return right(head, key, func(r *R) string { return table.Thousands(of(r)) })
}

// integer is count without commas.
func integer[R any](head, key string, of func(*R) int) column[R] {
	return right(head, key, func(r *R) string { return strconv.Itoa(of(r)) })
}

// when are columns that a table has on a condition.
func when[R any](holds bool, columns ...column[R]) []column[R] {
	if !holds {
		return nil
	}
	return columns
}

// anyOf says whether something holds of any row.
func anyOf[R any](rows []R, holds func(*R) bool) bool {
	return slices.ContainsFunc(rows, func(r R) bool { return holds(&r) })
}

// sheet declares a table of rows R.
type sheet[R any] struct {
	name, title     string
	paper           string                  // as table.Table has it
	labels, numbers []column[R]             // a table without labels has numbers alone
	dataset         func(*R) string         //
	printed         func(*R) string         // what the paper calls the row; nil: it has none
	apart           func(before, r *R) bool // a line between the two; nil: between data sets
	gap             func(before, r *R) bool // some room between the two; nil: none

	legend, defines, hints []string          // as table.Table has them
	signatures             map[string]string // metric: how it was computed
	about                  About
}

// table writes the rows.
func (s sheet[R]) table(rows []R, notes ...string) *table.Table {
	t := &table.Table{
		Name: s.name, Title: s.title, Legend: s.legend, Defines: s.defines, Hints: s.hints,
		Settings: s.about.settings(), Notes: slices.Concat(s.about.Notes, notes),
		Signatures: signatureLines(s.signatures), Labels: len(s.labels), Paper: s.paper,
	}
	columns := slices.Concat(s.labels, s.numbers)
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i := range rows {
		r := &rows[i]
		row := table.Row{Dataset: s.dataset(r)}
		if s.printed != nil {
			row.Name = s.printed(r)
		}
		if i > 0 && s.apart != nil {
			row.Rule = s.apart(&rows[i-1], r)
		} else if i > 0 {
			row.Rule = s.dataset(&rows[i-1]) != row.Dataset
		}
		row.Gap = i > 0 && s.gap != nil && s.gap(&rows[i-1], r)
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(r))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// point is where a row of a study stands: its data set, its swept settings, its seed.
type point struct {
	dataset string
	axes    []Axis
	seed    uint64
}

// pointSheet begins a sheet of rows that stand at points.
func pointSheet[R any](name, title string, at func(*R) point) sheet[R] {
	return sheet[R]{name: name, title: title, paper: name, dataset: func(r *R) string { return at(r).dataset }}
}

// datasetColumn names the data set.
func datasetColumn[R any](of func(*R) string) column[R] { return merged(datasetHead, of) }

// modelColumn names a model, by the name of its stage.
func modelColumn[R any](of func(*R) string) column[R] {
	return left("Model", func(r *R) string { return PartName(of(r)) })
}

// datasetHead is the head of the column of data sets.
const datasetHead = "Data set"

// settingColumns are a column for each swept setting on which the rows do not all agree, but for
// those that have columns of their own, and one of the seed where it differs.
func settingColumns[R any](rows []R, at func(*R) point, own ...string) []column[R] {
	all := lists.Map(rows, func(r R) []Axis { return at(&r).axes })
	return slices.Concat(
		axisColumns(Differing(all, own...), all, func(r *R) []Axis { return at(r).axes }),
		seedColumn(rows, func(r *R) uint64 { return at(r).seed }, func(*R) bool { return true }),
	)
}

// seedColumn is that of the seed, where the rows that have one differ in it.
func seedColumn[R any](rows []R, seed func(*R) uint64, has func(*R) bool) []column[R] {
	some := lists.Where(rows, func(r R) bool { return has(&r) })
	c := right("seed", "", func(r *R) string {
		if !has(r) {
			return ""
		}
		return fmt.Sprint(seed(r))
	})
	c.Setting = true
	return when(len(firstSeen(some, seed)) > 1, c)
}

// firstSeen numbers the keys of rows in the order in which they first appear.
func firstSeen[R any, K comparable](rows []R, key func(*R) K) map[K]int {
	order := map[K]int{}
	for i := range rows {
		k := key(&rows[i])
		if _, ok := order[k]; !ok {
			order[k] = len(order)
		}
	}
	return order
}

// sorted returns rows in order of the ranks, the first rank that differs counts; otherwise in the
// order given.
func sorted[R any](rows []R, ranks ...func(*R) int) []R {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b R) int {
		for _, rank := range ranks {
			if d := rank(&a) - rank(&b); d != 0 {
				return d
			}
		}
		return 0
	})
	return rows
}

// seen ranks rows by when something of theirs first appears.
func seen[R any, K comparable](rows []R, key func(*R) K) func(*R) int {
	order := firstSeen(rows, key)
	return func(r *R) int { return order[key(r)] }
}
