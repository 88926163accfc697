// Package table renders tables of finished text: LaTeX with booktabs, Markdown, CSV, HTML, and
// plain text for a terminal. It marks the best values of a column, and keeps the paper's rows next
// to ours. It knows no metrics and no models.
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
	Study   string // the experiment, a prefix of LaTeX labels that keeps those of two studies apart; "": none
	Title   string // one sentence, the caption
	Columns []Column
	Rows    []Row

	// Text about the table, each entry one or more sentences. Legend goes wherever the table goes;
	// in LaTeX it is part of the caption. Defines (the columns), Settings, Notes and Signatures
	// (how each metric was computed) are printed below the table, but in LaTeX in an appendix.
	// Hints tell the user of the program how to get more; LaTeX omits them.
	Legend, Defines, Notes, Hints, Signatures []string

	Settings Settings
	Unmarked string // a sentence on rows without marks, printed if marks are shown; "": none
	Within   string // the kind of groups that are ranked; "": "data set"

	// number of columns, from the left, that identify a row; the others are numbers
	Labels int
	// names of the paper's tables that have values for these rows, separated by spaces. If several
	// have a value, the first one counts. "": none
	Paper string
}

// Settings holds the settings that the rows were made with.
type Settings struct {
	Lines []string // in running text, for every format but LaTeX
	Data  []string // shared by all rows, one sentence each, for the appendix of LaTeX
	Parts []Part   // the other settings, also for the appendix
}

// Part is a part of a study, such as a model, with its settings.
type Part struct {
	Name     string
	Settings []Setting
}

// Setting is one setting in words: "learning rate 0.002", "trained for 10 epochs (300 steps)".
type Setting struct {
	Name  string // "learning rate", "trained for"
	Value string // "0.002", "10"; "": the name says it all
	After string // "epochs (300 steps)"; "" for most
}

// TrainedFor is the name of the setting that says how long a model was trained.
const TrainedFor = "trained for"

// String returns the setting as running text.
func (s Setting) String() string {
	return strings.TrimRight(s.Name+" "+s.Value+" "+s.After, " ")
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
	Head  string   // plain text; "\n" is a line break where the format has one
	Align Align    // ignored where Width is set
	Width float64  // centimetres; cells are paragraphs of running text. 0: as wide as the text
	Parts []string // CSV heads if a cell is several fields: "TST%", "TST% low", "TST% high"; nil: Head alone
	// leave a cell empty if it and all Merge columns to its left equal the row above, and neither
	// cell has a sign; not in CSV
	Merge bool
	Minor bool // left out on a narrow screen, and in LaTeX if the table is too wide for a page

	Key       string // key of the metric and of the paper's values; "": none
	Setting   bool   // a setting of our models; the paper's row has its own, or none
	FromPaper bool   // has the paper's values; package paper shows them as rows instead
}

// Row is one line of a table.
type Row struct {
	Cells []Cell // one per column
	Rule  bool   // draw a line above this row
	Gap   bool   // some space above it in LaTeX, a line in text

	Dataset, Name string // identify the paper's row; rows of a Dataset are ranked together
	// belongs to the row above: no page break between them, and equal labels are left empty; not in
	// CSV
	Joined bool
	// states what the rows below share; not in CSV, where those rows have it in fields
	Shared bool
}

// Cell is one value.
type Cell struct {
	Text string // Absent if there is no value
	Mark Mark
	// CSV fields, plain numbers without Sign, at most one per Column.Parts; nil: Text in the first
	Parts []string
	Sign  string // printed after the text, raised if the format can: "†"; not in CSV, where numbers stay numbers
	// which words of the text, split at spaces, are set bold or between asterisks; not in CSV. nil:
	// none
	Stress []bool
}

// Absent is the text of a cell without a value. It is printed as an en dash, and is empty in CSV.
const Absent = "–"

// Mark ranks a value within its column and data set.
type Mark int

// The marks. LaTeX and HTML set Best bold and Second underlined; Markdown sets Best bold.
const (
	Plain Mark = iota
	Best
	Second
)

// format is an output format.
type format struct {
	name, extension string
	write           func(*strings.Builder, []*Table)
}

// formats lists all formats. "latex-appendix" has what "latex" leaves out: definitions, settings,
// notes and signatures.
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

// WriteAll renders several tables one below the other. "latex-document", "latex-appendix" and
// "markdown" combine them; other formats separate them by an empty line.
func WriteAll(w io.Writer, format string, tables []*Table) error {
	at := slices.Index(Formats, format)
	if at < 0 {
		return fmt.Errorf("unknown table format %q: use one of %s", format, strings.Join(Formats, ", "))
	}
	for _, t := range tables {
		if err := t.check(); err != nil {
			return err
		}
	}
	var b strings.Builder
	formats[at].write(&b, tables)
	_, err := io.WriteString(w, b.String())
	return err
}

// check returns an error if a row does not have one cell per column, or a cell has too many parts.
func (t *Table) check() error {
	for i, r := range t.Rows {
		if len(r.Cells) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Name, i, len(r.Cells), len(t.Columns))
		}
		for j, c := range r.Cells {
			if fields := t.Columns[j].fields(); len(c.Parts) > len(fields) {
				return fmt.Errorf("table %q: row %d has %d parts for the %d of %q", t.Name, i, len(c.Parts),
					len(fields), fields[0])
			}
		}
	}
	return nil
}

// each renders tables one by one, with an empty line between them.
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

// merged returns the cells of all rows with clean texts. Cells of Merge columns that repeat the one
// above are empty.
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

// repeats reports whether the cell is left empty because it repeats the one above.
func (t *Table) repeats(row, column int) bool {
	same := func(j int) bool {
		a, b := &t.Rows[row].Cells[j], &t.Rows[row-1].Cells[j]
		// a name with a sign is repeated, so that each row shows the sign
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

// only returns t with the columns that keep selects. It leaves out joined rows, such as the
// paper's, without a number in these columns.
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

// clean replaces what no format can print: control characters become spaces, and invalid UTF-8 the
// replacement character. Terminal escapes in an output must not reach a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Flat returns clean text on one line.
func Flat(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// Column returns the index of the column with the given key, -1 if there is none.
func (t *Table) Column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
}
