// Package table renders tables as LaTeX (with booktabs), Markdown, CSV, HTML, and plain text for a
// terminal. The cells are finished text. The package marks the best values of a column and keeps
// the paper's rows next to ours. It knows nothing about metrics and models.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// A Table is one table whose cells are finished text. All strings are plain text, which each output
// format escapes in its own way.
type Table struct {
	Name    string // short name for file names and LaTeX labels: "results"
	Study   string // name of the experiment; makes LaTeX labels unique across studies; "" means none
	Title   string // the caption, one sentence
	Columns []Column
	Rows    []Row

	// These fields are text about the table. Each entry is one or more sentences. Legend is printed
	// with the table in every format; in LaTeX it is part of the caption. Defines has the
	// definitions of the columns, Settings says how rows were made, and Signatures says how each
	// metric was computed. Hints tell the user of the program how to get more values. The fields
	// other than Legend are printed below the table or, in LaTeX, in an appendix, where Hints are
	// left out.
	Legend, Defines, Settings, Notes, Hints, Signatures []string

	// Order explains cells with several numbers, such as "3.6 / 4.7". It is part of the legend if
	// such a cell is shown.
	Order []string

	Unmarked string // a sentence about rows that get no marks, printed if other rows have marks; "" means none

	// Labels is the number of columns, from the left, that identify a row. The other columns are
	// numbers.
	Labels int
	// Paper lists those of the paper's tables that have values for these rows, separated by spaces.
	// "" means none. If several of them have a value, the first one counts.
	Paper string
}

// Align is the alignment of the cells of a column.
type Align int

// The alignments.
const (
	Left Align = iota
	Right
	Center
)

// Column describes one column.
type Column struct {
	Head  string   // plain text; "\n" is a line break if the format can break lines
	Arrow string   // "↑" or "↓" if higher or lower is better; printed after Head, except in CSV
	Align Align    // ignored if Width is set
	Width float64  // in centimetres, for cells that are paragraphs; 0 means as wide as the text
	Parts []string // CSV heads if a cell has several fields: "TST%", "TST% low", "TST% high"; nil means Head
	// If Merge is set, a cell is left empty if it equals the cell above, and if the cells to its
	// left in Merge columns equal those above too. Cells with signs, such as ‡, are not left empty.
	// Only a joined row has empty cells in columns that are not labels. CSV does not merge.
	Merge bool
	Minor bool // leave the column out on a narrow screen, and in LaTeX if the table is too wide for a page

	Key     string // key of the metric, with which package paper finds the paper's values; "" means no metric
	Setting bool   // set if the column has a setting of our models, which is not repeated in the paper's row
}

// head returns the column's head with its arrow.
func (c Column) head() string { return c.Head + c.Arrow }

// Row is one row of a table.
type Row struct {
	Cells []Cell // one per column
	Rule  bool   // draw a line above this row
	Gap   bool   // leave some space above this row in LaTeX, or draw a line in text

	Dataset, Name string // identify the paper's row; rows with the same Dataset are ranked together
	// Joined means that the row belongs to the row above. No page ends between the two, and labels
	// that equal those above are left empty, except in CSV.
	Joined bool
	// Shared means that the row contains what the rows below it have in common. CSV omits the row,
	// because the rows below have the same content in their own fields.
	Shared bool
}

// Cell is one value.
type Cell struct {
	Text string // Absent if there is no value
	Best bool   // set for the best value of a column and data set: LaTeX, HTML and Markdown print it in bold
	// Parts are the fields of the cell in CSV: plain numbers without Sign, at most as many as
	// Column.Parts. If Parts is nil, Text is the first field.
	Parts []string
	Sign  string // printed after the text, raised if possible: "†"; CSV omits it, so that numbers stay numbers
	// Stress says which words of the text, split at spaces, are printed in bold or between
	// asterisks. nil means none. CSV ignores Stress.
	Stress []bool
}

// Absent is the text of a cell without a value. It is printed as an en dash. In CSV the field is
// empty.
const Absent = "–"

// format is an output format.
type format struct {
	name, extension string
	write           func(*strings.Builder, []*Table)
}

// formats lists all formats. "latex-appendix" contains what "latex" leaves out: definitions,
// settings, notes and signatures.
var formats = []format{
	{"latex", ".tex", each((*Table).latexInto)},
	{"latex-appendix", ".tex", latexAppendix},
	{"latex-document", ".tex", latexDocument},
	{"markdown", ".md", markdownAll},
	{"csv", ".csv", each((*Table).csvInto)},
	{"text", ".txt", each((*Table).textInto)},
	{"html", ".html", each((*Table).htmlInto)},
}

// Formats lists the formats that Write accepts.
var Formats = lists.Map(formats, func(f format) string { return f.name })

// Extension returns a format's file name extension, with the dot.
func Extension(format string) string { return formats[slices.Index(Formats, format)].extension }

// Write renders t in one of Formats. For an unknown format it returns an error that lists the known
// formats.
func (t *Table) Write(w io.Writer, format string) error {
	return WriteAll(w, format, []*Table{t})
}

// WriteAll writes several tables. The formats "latex-document", "latex-appendix" and "markdown"
// combine them into one text. The other formats write one table after the other, with an empty line
// between them.
func WriteAll(w io.Writer, format string, tables []*Table) error {
	at := slices.Index(Formats, format)
	if at < 0 {
		return fmt.Errorf("unknown table format %q: use one of %s", format, strings.Join(Formats, ", "))
	}
	var b strings.Builder
	formats[at].write(&b, tables)
	_, err := io.WriteString(w, b.String())
	return err
}

// The function each returns a function that renders tables one after the other, with an empty line
// between them.
func each(render func(*Table, *strings.Builder)) func(*strings.Builder, []*Table) {
	return func(b *strings.Builder, tables []*Table) {
		for i, t := range tables {
			if i > 0 {
				b.WriteString("\n")
			}
			render(t, b)
		}
	}
}

// The method merged returns the cells of all rows, without control characters. A cell is empty if
// it would only repeat the cell above.
func (t *Table) merged() [][]Cell {
	cells := make([][]Cell, len(t.Rows))
	for i, r := range t.Rows {
		cells[i] = make([]Cell, len(r.Cells))
		for j, c := range r.Cells {
			if !t.repeats(i, j) {
				cells[i][j] = c
				cells[i][j].Text = clean(c.Text)
			}
		}
	}
	return cells
}

// repeats reports whether a cell is left empty because it repeats the cell above.
func (t *Table) repeats(row, column int) bool {
	same := func(j int) bool {
		a, b := &t.Rows[row].Cells[j], &t.Rows[row-1].Cells[j]
		// A name with a sign is printed again, so that each row shows the sign.
		return a.Text == b.Text && (a.Sign+b.Sign == "" || t.Rows[row].Joined)
	}
	if row == 0 || !same(column) {
		return false
	}
	if t.Rows[row].Joined && column < t.Labels {
		return true
	}
	if t.Labels > 0 && column >= t.Labels && !t.Rows[row].Joined {
		return false
	}
	for j := range column {
		if t.Columns[j].Merge && !same(j) {
			return false
		}
	}
	return t.Columns[column].Merge
}

// The method only returns a copy of t with those columns for which keep returns true. If a row
// belongs to the row above, as the paper's rows do, it is left out if it has no number in these
// columns.
func (t *Table) only(keep func(column int) bool) *Table {
	some := *t
	some.Columns, some.Rows, some.Labels = nil, nil, 0
	for j, c := range t.Columns {
		if keep(j) {
			some.Columns = append(some.Columns, c)
			if j < t.Labels {
				some.Labels++
			}
		}
	}
	for _, r := range t.Rows {
		cells := r.Cells
		r.Cells = nil
		for j, c := range cells {
			if keep(j) {
				r.Cells = append(r.Cells, c)
			}
		}
		numbers := r.Cells[some.Labels:]
		if !r.Joined || slices.ContainsFunc(numbers, func(c Cell) bool { return c.Text != "" }) {
			some.Rows = append(some.Rows, r)
		}
	}
	return &some
}

// clean replaces characters that formats cannot print: control characters by spaces, and invalid
// UTF-8 by the replacement character. Therefore escape codes in a model's output do not reach the
// terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Flat returns a text without unprintable characters (see the function clean), on one line.
func Flat(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// Column returns the index of the column with the given key, or -1 if there is none.
func (t *Table) Column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
}
