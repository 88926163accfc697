// Package table renders tables of finished text: LaTeX with booktabs, Markdown, CSV, HTML, and
// plain text for a terminal. It marks the best values of a column, and joins rows of ours with rows
// of the paper. It knows no metrics and no models.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Table is one table of finished text. Every string is plain text; each renderer escapes it for its
// format.
type Table struct {
	Name    string // short, for file names and LaTeX labels: "results"
	Study   string // the experiment; LaTeX labels begin with it, so that those of two studies differ. "": none
	Title   string // one sentence, the caption
	Columns []Column
	Rows    []Row

	// What is said of the table, a sentence or more each. Legend goes wherever the table goes: in
	// LaTeX it is part of the caption. Defines (what the columns are), Settings, Notes and
	// Signatures (how each metric was computed) stand under the table in every format but LaTeX,
	// which has them in an appendix. Hints say what whoever runs the program may do for more; a
	// paper has none.
	Legend, Defines, Notes, Hints, Signatures []string

	// what LaTeX shows in place of this table, as a paper has no room for it: the same in fewer
	// rows. What is said of this one is said of that one too, but the legend. nil: this one
	InLaTeX *Table

	Settings Settings
	Unmarked string // which rows have no marks, a sentence; said where marks are shown. "": nothing
	Within   string // what the rows are of that are ranked together, where there are several; "": "data set"

	// how many columns, from the left, say what a row is; the others are numbers. 0: the table has
	// no such division
	Labels int
	// which of the paper's tables hold its values of these rows, a space between them, the first
	// that has a value counts; "": none
	Paper string

	// of a run of columns: the part of the columns that it begins with, and where in the whole
	// table it ends
	part string
	end  int
}

// Settings are those that the rows were made with.
type Settings struct {
	Lines []string // in running text, for every format but LaTeX
	Data  []string // what all rows share, a sentence each, for the appendix of LaTeX
	Parts []Part   // the rest of them, likewise
}

// Part is a part of a study, such as a model, with its settings.
type Part struct {
	Name     string
	Settings []Setting
}

// Setting is one of them, in words: "learning rate 0.002", "trained for 10 epochs (300 steps)".
type Setting struct {
	Name  string // "learning rate", "trained for"
	Value string // "0.002", "10"; "": the name says it all
	After string // "epochs (300 steps)"; "" for most
}

// TrainedFor is the name of the setting that says how long a model was trained.
const TrainedFor = "trained for"

// String is the setting in running text.
func (s Setting) String() string {
	return strings.TrimRight(s.Name+" "+s.Value+" "+s.After, " ")
}

// Align is how the cells of a column stand.
type Align int

// The alignments.
const (
	Left Align = iota
	Right
	Center
)

// Column is the head of one column.
type Column struct {
	Head  string   // plain text; "\n" is a line break where the format has one
	Align Align    // ignored where Width is set
	Width float64  // centimetres; cells are paragraphs of running text. 0: as wide as the text
	Parts []string // the heads in CSV, where a cell is several fields: "TST%", "TST% low", "TST% high"; nil: Head alone
	// a value equal to the one above is left empty, where every Merge column to the left is equal
	// too, and neither has a sign; not in CSV
	Merge bool
	// begins a part of the columns, which this names: a table that is too wide is cut here first
	Begins string
	Minor  bool // left out first where a screen is narrow
	// is left out in LaTeX, as a paper has no room for it
	NotInLaTeX bool

	Key       string // of what the numbers are, as the keys of metrics and of the paper's values; "": none
	Setting   bool   // of what our models were made with: the paper's row has its own, or none
	FromPaper bool   // the paper's values, which package paper shows in another way
}

// Row is one line of a table.
type Row struct {
	Cells []Cell // as many as there are columns
	Rule  bool   // a line above this row
	Gap   bool   // a little room above it, in LaTeX

	Dataset, Name string // what the paper's row of it is found by
	// belongs to the row above: no page ends between them, and labels that are equal are left
	// empty; not in CSV
	Joined bool
	// says what the rows below it share, which CSV has in fields of these rows; not in CSV
	Shared bool
}

// Cell is one value.
type Cell struct {
	Text string // Absent where there is no such value
	Mark Mark
	// the fields in CSV, numbers without signs of their own, at most as many as Column.Parts; nil:
	// Text in the first of them
	Parts []string
	Sign  string // printed after the text, raised where the format can: "†"; not in CSV, where numbers stay numbers
	// which words of the text, between spaces, are set apart: bold, or between asterisks; not in
	// CSV. nil: none
	Stress []bool
}

// Absent stands in a cell whose value does not exist; it is printed as an en dash, and is empty in
// CSV.
const Absent = "–"

// Mark ranks a value within its column and data set.
type Mark int

// The marks. LaTeX and HTML set Best bold and Second underlined; Markdown sets Best bold.
const (
	Plain Mark = iota
	Best
	Second
)

// format is a way to write tables.
type format struct {
	name, extension string
	write           func(*strings.Builder, []*Table)
}

// formats are all of them. "latex-appendix" is what "latex" leaves out: notes and signatures.
var formats = []format{
	{"latex", ".tex", each((*Table).latexInto)},
	{"latex-appendix", ".tex", latexAppendix},
	{"latex-document", ".tex", latexDocument},
	{"markdown", ".md", markdownAll},
	{"csv", ".csv", each((*Table).csvInto)},
	{"text", ".txt", each((*Table).textInto)},
	{"html", ".html", each((*Table).htmlInto)},
}

// Formats lists what Write accepts.
var Formats = lists.Map(formats, func(f format) string { return f.name })

// Extension returns the file name ending of a format, with its dot.
func Extension(format string) string { return formats[slices.Index(Formats, format)].extension }

// Write renders t. format is one of Formats; an unknown one is an error that lists them.
func (t *Table) Write(w io.Writer, format string) error {
	return WriteAll(w, format, []*Table{t})
}

// WriteAll renders several tables one below the other: "latex-document" and "markdown" make one
// document of them all, other formats separate them by an empty line.
func WriteAll(w io.Writer, format string, tables []*Table) error {
	at := slices.Index(Formats, format)
	if at < 0 {
		return fmt.Errorf("unknown table format %q: use one of %s", format, strings.Join(Formats, ", "))
	}
	for _, t := range tables {
		for i, r := range t.Rows {
			if len(r.Cells) != len(t.Columns) {
				return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Name, i, len(r.Cells),
					len(t.Columns))
			}
			for j, c := range r.Cells {
				if fields := t.Columns[j].fields(); len(c.Parts) > len(fields) {
					return fmt.Errorf("table %q: row %d has %d parts for the %d of %q", t.Name, i, len(c.Parts),
						len(fields), fields[0])
				}
			}
		}
	}
	var b strings.Builder
	formats[at].write(&b, tables)
	_, err := io.WriteString(w, b.String())
	return err
}

// each renders tables one by one, an empty line between them.
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

// merged returns the cells of the rows, their texts cleaned, with the repeated values of Merge
// columns left empty.
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

// repeats says whether the cell is left empty as it repeats the one above.
func (t *Table) repeats(row, column int) bool {
	same := func(j int) bool {
		a, b := &t.Rows[row].Cells[j], &t.Rows[row-1].Cells[j]
		// a sign stands behind its name, in each row that has it
		return a.Text == b.Text && (a.Sign+b.Sign == "" || t.Rows[row].Joined)
	}
	if row == 0 || !same(column) {
		return false
	}
	if t.Rows[row].Joined && column < t.Labels {
		return true
	}
	for j := range column {
		if t.Columns[j].Merge && !same(j) {
			return false
		}
	}
	return t.Columns[column].Merge
}

// clean removes what no format can print: control characters become spaces, and bytes that are not
// UTF-8 the replacement character. An output with terminal escapes in it must not reach a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Flat is clean text on one line.
func Flat(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// Column returns the index of the column with a key, -1 where there is none.
func (t *Table) Column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
}
