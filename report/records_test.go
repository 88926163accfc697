package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// These names let the tests write Table instead of table.Table.
type (
	Table  = table.Table
	Row    = table.Row
	Column = table.Column
)

const Absent = table.Absent

// These are the values of Cell.Best.
const (
	Plain = false
	Best  = true
)

// record returns a record with the given axes. The parameter axes alternates keys and values.
func record(from string, values metrics.Values, axes ...string) *Record {
	return &Record{From: from, Axes: swept(axes...), Values: values, Text: map[string]string{}}
}

// system returns a record of our system's test outputs. settings alternates keys and values. The
// record's name in the paper is the system's name.
func system(dataset, name string, s *metrics.Scores, settings ...string) *Record {
	r := record(FromSystems, s.Metrics, append([]string{Dataset, dataset, System, name}, settings...)...)
	r.Scores, r.Paper = s, name
	return r
}

// The function as sets the kind of a record and returns the record.
func as(kind Kind, r *Record) *Record {
	r.Kind = kind
	return r
}

// swept returns axes. The parameter words alternates keys and values.
func swept(words ...string) (axes []Axis) {
	for pair := range slices.Chunk(words, 2) {
		axes = append(axes, Axis{Key: pair[0], Value: pair[1]})
	}
	return axes
}

// heads returns the heads of a table's columns, joined by commas.
func heads(t *Table) string {
	return strings.Join(lists.Map(t.Columns, func(c Column) string { return table.Flat(c.Head) }), ",")
}

// texts returns the texts of a row's cells, each with its sign, such as †.
func texts(r Row) []string {
	return lists.Map(r.Cells, func(c table.Cell) string { return c.Text + c.Sign })
}

// lines returns the rows of a table. A row consists of the texts of its cells with their signs,
// joined by "|".
func lines(t *Table) []string {
	return lists.Map(t.Rows, func(r Row) string { return strings.Join(texts(r), "|") })
}

// The function said returns all text below the rows of a table.
func said(t *Table) []string {
	return slices.Concat(t.Legend, t.Defines, t.Settings, t.Notes, t.Hints, t.Signatures)
}
