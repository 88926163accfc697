// Package report builds the tables of a study and heat maps of single sentences. Each file declares
// the columns of one table, or of a few similar ones. Package table renders them, and package paper
// adds the paper's values. Nothing here reads files, runs models or decides which values are
// better.
package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// column is one column of a table with rows R: its head, and the cell of each row.
type column[R any] struct {
	table.Column
	cell   func(*R) table.Cell
	better metrics.Better // whether high or low values are marked
}

// left returns a left-aligned column of text.
func left[R any](head string, of func(*R) string) column[R] {
	return column[R]{
		Column: table.Column{Head: head}, cell: func(r *R) table.Cell { return table.Cell{Text: of(r)} },
	}
}

// merged is like left, but prints equal labels of consecutive rows once.
func merged[R any](head string, of func(*R) string) column[R] {
	c := left(head, of)
	c.Merge = true
	return c
}

// right returns a right-aligned column of numbers. key is table.Column.Key.
func right[R any](head, key string, of func(*R) string) column[R] {
	c := left(head, of)
	c.Align, c.Key = table.Right, key
	return c
}

// fields returns a column of numbers with one CSV field per ending, as in table.Column.Split.
func fields[R any](head string, cell func(*R) table.Cell, endings ...string) column[R] {
	return column[R]{Column: table.Column{Head: head, Align: table.Right}.Split(endings...), cell: cell}
}

// number returns a column of values with n decimals.
func number[R any](head, key string, n int, of func(*R) float64) column[R] {
	return optional(head, key, n, func(r *R) *float64 {
		v := of(r)
		return &v
	})
}

// optional returns a column of values with n decimals that may be absent.
func optional[R any](head, key string, n int, of func(*R) *float64) column[R] {
	c := right[R](head, key, nil)
	c.cell = func(r *R) table.Cell { return table.Number(of(r), n) }
	return c
}

// count returns a column of counts with commas.
func count[R any](head, key string, of func(*R) int) column[R] {
	return right(head, key, func(r *R) string { return table.Thousands(of(r)) })
}

// integer is count without commas.
func integer[R any](head, key string, of func(*R) int) column[R] {
	return right(head, key, func(r *R) string { return strconv.Itoa(of(r)) })
}

// when returns the columns if the condition holds, otherwise none.
func when[R any](holds bool, columns ...column[R]) []column[R] {
	if !holds {
		return nil
	}
	return columns
}

// anyOf reports whether the condition holds for any row.
func anyOf[R any](rows []R, holds func(*R) bool) bool {
	return slices.ContainsFunc(rows, func(r R) bool { return holds(&r) })
}

// sheet declares a table of rows R.
type sheet[R any] struct {
	name, title     string
	paper           string                  // as in table.Table
	labels, numbers []column[R]             // labels may be empty
	dataset         func(*R) string         // the data set of a row, or another group
	printed         func(*R) string         // the paper's name of the row; nil: the paper has no such rows
	apart           func(before, r *R) bool // whether to draw a line; nil: between data sets
	gap             func(before, r *R) bool // whether to leave some space; nil: never

	legend, defines, hints []string          // as in table.Table
	signatures             map[string]string // metric: how it was computed
	about                  About
}

// table builds the table from the rows.
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

// point identifies a row of a study by data set, swept settings and seed.
type point struct {
	dataset string
	axes    []Axis
	seed    uint64
}

// pointSheet returns a sheet whose rows are points, still without columns.
func pointSheet[R any](name, title string, at func(*R) point) sheet[R] {
	return sheet[R]{name: name, title: title, paper: name, dataset: func(r *R) string { return at(r).dataset }}
}

// datasetColumn returns the column of data sets.
func datasetColumn[R any](of func(*R) string) column[R] { return merged(datasetHead, of) }

// modelColumn returns the column of model names. of returns the name of the model's stage.
func modelColumn[R any](of func(*R) string) column[R] {
	return left("Model", func(r *R) string { return PartName(of(r)) })
}

const datasetHead = "Data set"

// settingColumns returns one column for each swept setting that differs between rows, except those
// in own, and a seed column if the seed differs.
func settingColumns[R any](rows []R, at func(*R) point, own ...string) []column[R] {
	all := lists.Map(rows, func(r R) []Axis { return at(&r).axes })
	return slices.Concat(
		axisColumns(Differing(all, own...), all, func(r *R) []Axis { return at(r).axes }),
		seedColumn(rows, func(r *R) uint64 { return at(r).seed }, func(*R) bool { return true }),
	)
}

// seedColumn returns the column of seeds, or none if all rows that have a seed have the same one.
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

// firstSeen numbers the keys of rows in order of first appearance.
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

// sorted returns a copy of rows, stably sorted by the first rank, then by the second, and so on.
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

// seen returns a rank for sorted: rows are in the order in which their keys first appear in rows.
func seen[R any, K comparable](rows []R, key func(*R) K) func(*R) int {
	order := firstSeen(rows, key)
	return func(r *R) int { return order[key(r)] }
}
