package report

import (
	"slices"
	"strings"
)

// The words that tell the three rows of WithPaper apart.
const (
	oursWord       = "ours"
	paperWord      = "paper"
	differenceWord = "difference"
)

// doubtSign marks a value of the paper that is known not to agree with something that can be checked.
const doubtSign = "†"

// WithPaper returns t with three rows for each row that the paper has: ours, the paper's as printed, and the difference, ours less the paper's, of
// the numbers as printed and with as many decimals as ours. Rows that the paper lacks stay one row, and a table of which the paper has none is
// returned as it is. Values of the paper that are known to be doubtful are marked, and the reasons stand in the notes. t must come from a
// builder of this package: Results, Content, BLEU, Intervals, SeedMeans, Attribution, Classifier, DivLSTM, Datasets or Human.
func WithPaper(t *Table) *Table {
	w := paperWriter{p: Paper(), from: t, out: &Table{Name: t.Name, Title: t.Title, labels: t.labels + 1}}
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return w.has(&r) }) {
		return t
	}
	w.columns()
	for _, r := range t.Rows {
		w.add(r)
	}
	w.notes()
	return w.out
}

// paperWriter builds the table of WithPaper.
type paperWriter struct {
	p         *Printed
	from, out *Table
	kept      []int    // columns of from that are in out, in order
	shown     []doubt  // the doubtful values shown
	tables    []string // the tables of paper.toml shown
	labelled  []string // their labels in the paper
}

// value finds the paper's value of a column in a row of ours, and the table and the row that have it; nil where none has.
func (w *paperWriter) value(r *Row, j int) (v float64, reasons []string, table *PrintedTable) {
	for name := range strings.FieldsSeq(w.from.paper) {
		if v, reasons, ok := w.p.Value(name, r.dataset, r.name, w.from.Columns[j].key); ok {
			table, _ = w.p.row(name, r.dataset, r.name)
			return v, reasons, table
		}
	}
	return 0, nil, nil
}

// has says whether the paper has any value of a row.
func (w *paperWriter) has(r *Row) bool {
	for j, c := range w.from.Columns {
		if _, _, table := w.value(r, j); table != nil && !c.fromPaper {
			return true
		}
	}
	return false
}

// setting is one that a row of the paper's was made with.
func (w *paperWriter) setting(r *Row, key string) (float64, bool) {
	for name := range strings.FieldsSeq(w.from.paper) {
		if _, printed := w.p.row(name, r.dataset, r.name); printed != nil {
			if v, ok := printed.Settings[key]; ok {
				return v, true
			}
		}
	}
	return 0, false
}

// doubt is why values may be wrong.
type doubt struct {
	reason string
	cells  []string // "amazon DirR, s-BLEU"
}

// columns leaves out the paper's columns and puts the one that tells the rows apart behind the labels.
func (w *paperWriter) columns() {
	for j, c := range w.from.Columns {
		if j == w.from.labels {
			w.out.Columns = append(w.out.Columns, Column{Parts: []string{"row"}})
		}
		if !c.fromPaper {
			w.kept = append(w.kept, j)
			w.out.Columns = append(w.out.Columns, c)
		}
	}
}

// add adds a row, or its three.
func (w *paperWriter) add(r Row) {
	ours := w.row(r, oursWord, func(j int) Cell { return r.Cells[j] })
	ours.Rule = r.Rule
	w.out.Rows = append(w.out.Rows, ours)
	if !w.has(&r) {
		return
	}
	paper := w.row(r, paperWord, func(j int) Cell { return w.printed(&r, j) })
	difference := w.row(r, differenceWord, func(j int) Cell {
		v, _, table := w.value(&r, j)
		if table == nil {
			return Cell{}
		}
		return signedCell(minus(r.Cells[j].Text, v))
	})
	paper.joined, difference.joined = true, true
	w.out.Rows = append(w.out.Rows, paper, difference)
}

// row makes one of the rows: labels as in r, but for the settings, which are of ours or the paper's own, then the word, then the figures.
func (w *paperWriter) row(r Row, word string, figure func(j int) Cell) Row {
	out := Row{dataset: r.dataset, name: r.name}
	for _, j := range w.kept {
		if j >= w.from.labels {
			if j == w.from.labels {
				out.Cells = append(out.Cells, Cell{Text: word})
			}
			out.Cells = append(out.Cells, figure(j))
			continue
		}
		c := r.Cells[j]
		if word != oursWord {
			c.Sign = "" // it is said of ours
			v, own := w.setting(&r, w.from.Columns[j].key)
			if own || w.from.Columns[j].setting {
				c = Cell{}
			}
			if own && word == paperWord {
				c.Text = plain(v)
			}
		}
		out.Cells = append(out.Cells, c)
	}
	return out
}

// printed is one cell of the paper's row, empty where it has none.
func (w *paperWriter) printed(r *Row, j int) Cell {
	column := w.from.Columns[j]
	v, reasons, table := w.value(r, j)
	if table == nil {
		if v, ok := w.setting(r, column.key); ok {
			return Cell{Text: plain(v)}
		}
		return Cell{}
	}
	if !slices.Contains(w.tables, table.Table) {
		w.tables = append(w.tables, table.Table)
	}
	if !slices.Contains(w.labelled, table.Label) {
		w.labelled = append(w.labelled, table.Label)
	}
	c := Cell{Text: printedText(v)}
	for _, reason := range reasons {
		c.Sign = doubtSign
		name, _, _ := strings.Cut(r.Cells[w.nameColumn()].Text, " (")
		name = table.Dataset + " " + name + ", " + flat(column.Head)
		i := slices.IndexFunc(w.shown, func(d doubt) bool { return d.reason == reason })
		if i < 0 {
			i, w.shown = len(w.shown), append(w.shown, doubt{reason: reason})
		}
		if !slices.Contains(w.shown[i].cells, name) {
			w.shown[i].cells = append(w.shown[i].cells, name)
		}
	}
	return c
}

// nameColumn is the label that names a row within its data set: the first that is not the data set itself.
func (w *paperWriter) nameColumn() int {
	if w.from.Columns[0].Head == "Data set" && w.from.labels > 1 {
		return 1
	}
	return 0
}
