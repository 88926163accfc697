package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// These are short names for tests.
type (
	Table  = table.Table
	Row    = table.Row
	Column = table.Column
	Mark   = table.Mark
)

const (
	Plain  = table.Plain
	Best   = table.Best
	Second = table.Second
	Absent = table.Absent
)

// record returns a record with the given axes. The parameter axes alternates keys and values.
func record(from string, values metrics.Values, axes ...string) *Record {
	return &Record{From: from, Axes: swept(axes...), Values: values, Text: map[string]string{}}
}

// system returns a record of our system's test outputs. settings alternates keys and values. The
// paper's row has the system's name.
func system(dataset, name string, s *metrics.Scores, settings ...string) *Record {
	r := record(FromSystems, s.Metrics, append([]string{Dataset, dataset, System, name}, settings...)...)
	r.Scores, r.Paper = s, name
	return r
}

// as sets the kind of a record and returns the record.
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

// heads joins the heads of a table's columns.
func heads(t *Table) string {
	return strings.Join(lists.Map(t.Columns, func(c Column) string { return table.Flat(c.Head) }), ",")
}

// texts returns the cells of a row with their signs.
func texts(r Row) []string {
	return lists.Map(r.Cells, func(c table.Cell) string { return c.Text + c.Sign })
}

// lines returns the rows of a table. A row consists of its cells with their signs, joined by "|".
func lines(t *Table) []string {
	return lists.Map(t.Rows, func(r Row) string { return strings.Join(texts(r), "|") })
}

// said returns all text below the rows of a table.
func said(t *Table) []string {
	return slices.Concat(t.Legend, t.Defines, t.Settings.Lines, t.Notes, t.Hints, t.Signatures)
}
