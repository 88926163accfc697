package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// These words label our rows and the differences in the table of Beside. table.PaperRow labels the
// paper's rows.
const (
	oursWord       = "ours"
	differenceWord = "difference"
)

// doubtSign marks a doubtful value of the paper: a value that contradicts something that can be
// checked.
const (
	doubtSign   = "†"
	doubtLegend = doubtSign + ": the printed value contradicts something that can be checked."
)

// Beside adds two rows below each row that the paper also has: the paper's values, and the
// differences, ours minus the paper's. A difference is computed from the printed numbers, with as
// many decimals as our number. There are no such rows if our lambda_eps is not the paper's, because
// then other words are masked. A note says so if no row of a system has the paper's lambda_eps.
// Doubtful values of the paper are marked, and notes give the reasons. The field Table.Paper, the
// keys of the columns and the names of the rows determine which of the paper's values belong to a
// row.
func Beside(t *table.Table) *table.Table {
	w := writer{p: Values(), from: t, out: &table.Table{
		Name: t.Name, Title: t.Title, Labels: t.Labels + 1, Legend: t.Legend, Order: t.Order, Defines: t.Defines,
		Settings: t.Settings, Hints: t.Hints, Unmarked: t.Unmarked,
		Signatures: t.Signatures,
	}}
	if !slices.ContainsFunc(t.Rows, func(r table.Row) bool { return w.has(&r) }) {
		return w.alone()
	}
	w.columns()
	for _, r := range t.Rows {
		w.add(r)
	}
	w.notes()
	return w.out
}

// writer builds the table that Beside returns.
type writer struct {
	p         *Printed
	from, out *table.Table
	shown     []doubt  // doubtful values that the new table shows
	tables    []string // tables of paper.toml whose values the new table shows
}

// value returns the paper's value for column j of our row r, the reasons why this value may be
// wrong, and the paper's table. The table is nil if the paper has no value, or none with the
// lambda_eps of r.
func (w *writer) value(r *table.Row, j int) (v float64, reasons []string, of *printedTable) {
	if !w.sameEps(r) {
		return 0, nil, nil
	}
	for name := range strings.FieldsSeq(w.from.Paper) {
		if v, reasons, ok := w.p.Value(name, r.Dataset, r.Name, w.from.Columns[j].Key); ok {
			of, _ = w.p.row(name, r.Dataset, r.Name)
			return v, reasons, of
		}
	}
	return 0, nil, nil
}

// The method has reports whether the paper has any value for our row r.
func (w *writer) has(r *table.Row) bool {
	for j := range w.from.Columns {
		if _, _, of := w.value(r, j); of != nil {
			return true
		}
	}
	return false
}

// setting returns the value of a setting in the paper's row that corresponds to our row r.
func (w *writer) setting(r *table.Row, key string) (float64, bool) {
	for name := range strings.FieldsSeq(w.from.Paper) {
		if _, printed := w.p.row(name, r.Dataset, r.Name); printed != nil {
			if v, ok := printed.Settings[key]; ok {
				return v, true
			}
		}
	}
	return 0, false
}

// A doubt is a reason why some values of the paper may be wrong.
type doubt struct {
	reason string
	cells  []string // "amazon DirR, s-BLEU"
}

// columns sets the columns of the new table. After the label columns, it adds a column that says
// whether a row is ours, the paper's or the difference.
func (w *writer) columns() {
	for j, c := range w.from.Columns {
		if j == w.from.Labels {
			w.out.Columns = append(w.out.Columns, table.Column{Parts: []string{"row"}})
		}
		w.out.Columns = append(w.out.Columns, c)
	}
}

// add adds our row. If the paper has values for it, the method also adds the paper's row and the
// difference.
func (w *writer) add(r table.Row) {
	ours := w.row(r, oursWord, func(j int) table.Cell { return r.Cells[j] })
	ours.Rule, ours.Gap = r.Rule, r.Gap
	w.out.Rows = append(w.out.Rows, ours)
	if !w.has(&r) {
		return
	}
	paper := w.row(r, table.PaperRow, func(j int) table.Cell { return w.printed(&r, j) })
	difference := w.row(r, differenceWord, func(j int) table.Cell {
		v, _, of := w.value(&r, j)
		if of == nil {
			return table.Cell{}
		}
		return table.Signed(table.Minus(r.Cells[j].Text, v))
	})
	paper.Joined, difference.Joined = true, true
	w.out.Rows = append(w.out.Rows, paper, difference)
}

// row makes our row, the paper's row or the row of the difference. The row consists of the labels
// of r, the word "ours", "paper" or "difference", and the numbers. The paper's row has the paper's
// settings as labels. The difference has no settings.
func (w *writer) row(r table.Row, word string, number func(j int) table.Cell) table.Row {
	out := table.Row{Dataset: r.Dataset, Name: r.Name}
	for j, c := range r.Cells {
		if j >= w.from.Labels {
			if j == w.from.Labels {
				out.Cells = append(out.Cells, table.Cell{Text: word})
			}
			out.Cells = append(out.Cells, number(j))
			continue
		}
		if word != oursWord {
			c.Sign = "" // the sign belongs to our row
			v, own := w.setting(&r, w.from.Columns[j].Key)
			if own || w.from.Columns[j].Setting {
				c = table.Cell{}
			}
			if own && word == table.PaperRow {
				c.Text = table.Short(v)
			}
		}
		out.Cells = append(out.Cells, c)
	}
	return out
}

// The method printed returns a cell of the paper's row. The cell is empty if the paper has no
// value.
func (w *writer) printed(r *table.Row, j int) table.Cell {
	column := w.from.Columns[j]
	v, reasons, of := w.value(r, j)
	if of == nil {
		if v, ok := w.setting(r, column.Key); ok {
			return table.Cell{Text: table.Short(v)}
		}
		return table.Cell{}
	}
	w.tables = lists.AddOnce(w.tables, of.Table)
	c := table.Cell{Text: printedText(v, r.Cells[j].Text)}
	for _, reason := range reasons {
		c.Sign = doubtSign
		name := w.nameOf(r, of) + ", " + table.Flat(column.Head)
		i := slices.IndexFunc(w.shown, func(d doubt) bool { return d.reason == reason })
		if i < 0 {
			i, w.shown = len(w.shown), append(w.shown, doubt{reason: reason})
		}
		w.shown[i].cells = lists.AddOnce(w.shown[i].cells, name)
	}
	return c
}

// nameOf returns a name for our row r. It consists of the paper's name of the data set and the
// row's label.
func (w *writer) nameOf(r *table.Row, of *printedTable) string {
	name, _, _ := strings.Cut(r.Cells[w.nameColumn()].Text, " (")
	return of.Dataset + " " + name
}

// nameColumn returns the index of the label column that names a row within its data set. This is
// the first column that is not the data set.
func (w *writer) nameColumn() int {
	if w.from.Columns[0].Head == "Data set" && w.from.Labels > 1 {
		return 1
	}
	return 0
}

// epsKey is the setting that must be equal in our row and in the paper's row. With another
// lambda_eps, other words are masked, so a difference would say nothing about the systems.
// lambda_con need not be equal: it weighs a sum in the paper's loss and a mean in ours, so its
// values cannot be compared.
const epsKey = "lambda_eps"

// sameEps reports whether our row r has the same lambda_eps as the paper's row. If one of the two
// rows has no lambda_eps, sameEps returns true.
func (w *writer) sameEps(r *table.Row) bool {
	eps, printed := w.setting(r, epsKey)
	j := w.from.Column(epsKey)
	return !printed || j < 0 || r.Cells[j].Text == table.Short(eps)
}

// otherEps returns a note that lists rows of the paper that are left out, because our table has no
// row with their lambda_eps. It returns nil if there are none.
func (w *writer) otherEps() []string {
	var names []string
	for i := range w.from.Rows {
		r := &w.from.Rows[i]
		eps, printed := w.setting(r, epsKey)
		if !printed || slices.ContainsFunc(w.from.Rows, func(other table.Row) bool {
			return other.Dataset == r.Dataset && other.Name == r.Name && w.sameEps(&other)
		}) {
			continue
		}
		for paper := range strings.FieldsSeq(w.from.Paper) {
			if of, _ := w.p.row(paper, r.Dataset, r.Name); of != nil {
				names = lists.AddOnce(names, fmt.Sprintf("%s (%s)", w.nameOf(r, of), table.Short(eps)))
			}
		}
	}
	if names == nil {
		return nil
	}
	return []string{"The paper's values are left out where no row has their lambda_eps: " + listed(names) + "."}
}

// alone returns our table without any rows of the paper, but with the note that otherEps returns.
func (w *writer) alone() *table.Table {
	note := w.otherEps()
	if note == nil {
		return w.from
	}
	out := *w.from
	out.Notes = slices.Concat(out.Notes, note)
	return &out
}

// titles maps the names of our tables to what the paper calls its tables with the same content.
var titles = map[string]string{
	"results": "tables of quantitative metrics", "content": "table of content preservation metrics",
	"attribution": "comparison of attribution models", "classifier": "comparison of FastText and Bi-LSTM",
	"divlstm": "classification statistics and choice of lambda_con", "datasets": "statistics of each data set",
	"human": "human evaluations",
}

// maxListed is the maximum number of cells or rows that a note names.
const maxListed = 4

// notes adds notes and lines of the legend. They explain the three kinds of rows, say where the
// paper's values come from, and say why values are doubtful.
func (w *writer) notes() {
	w.out.Notes = slices.Clone(w.from.Notes)
	w.out.Legend = append(slices.Clone(w.out.Legend), fmt.Sprintf("%s: as printed in the paper; %s: ours minus the "+
		"paper's, of the numbers as printed.", table.PaperRow, differenceWord))
	tables := lists.Map(w.tables, func(name string) string { return titles[name] })
	w.out.Notes = append(w.out.Notes, "The paper's values come from its "+strings.Join(tables, " and ")+".")
	for _, n := range w.p.Notes {
		if slices.Contains(w.tables, n.Table) {
			w.out.Notes = append(w.out.Notes, n.Note)
		}
	}
	if len(w.shown) > 0 {
		w.out.Legend = append(w.out.Legend, doubtLegend)
	}
	for _, d := range w.shown {
		w.out.Notes = append(w.out.Notes, fmt.Sprintf("%s %s: %s", doubtSign, listed(d.cells), d.reason))
	}
	w.out.Notes = append(w.out.Notes, w.otherEps()...)
}

// The function listed returns the first maxListed cells or rows as text, and counts the others.
func listed(names []string) string {
	if len(names) > maxListed {
		names = append(slices.Clone(names[:maxListed]), fmt.Sprintf("and %d more", len(names)-maxListed))
	}
	return strings.Join(names, "; ")
}

// printedText formats a value as the paper prints it, but with at least as many decimals as our
// number. Counts have commas.
func printedText(v float64, ours string) string {
	if v >= 1000 && v == float64(int(v)) {
		return table.Thousands(int(v))
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	number, _, _ := strings.Cut(ours, " ")
	_, printed, _ := strings.Cut(text, ".")
	if _, decimals, _ := strings.Cut(number, "."); len(decimals) > len(printed) {
		return strconv.FormatFloat(v, 'f', len(decimals), 64)
	}
	return text
}
