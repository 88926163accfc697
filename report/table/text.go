package table

import (
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// charsPerCm converts a column's width in centimetres to characters of running text.
const charsPerCm = 7

// ScreenWidth is the assumed width of a terminal in characters.
const ScreenWidth = 100

// textMeasure counts 3 characters between columns: the box line and the blanks around it.
var textMeasure = measure{gap: 3}

// textInto appends t for a terminal: box lines, no colours, the title above and the notes below. A
// table that is wider than the screen is cut into runs of columns, one below the other, each with
// the row labels.
func (t *Table) textInto(b *strings.Builder) {
	b.WriteString(wrap(Flat(t.Title), ScreenWidth, true) + "\n")
	t.textRows(b)
	for _, n := range t.said() {
		b.WriteString(wrap(Flat(n), ScreenWidth, true) + "\n")
	}
}

// Screen writes t as the last output of a command: only with its legend, and without the minor
// columns if not all columns fit.
func (t *Table) Screen(w io.Writer) error {
	some := *t
	if t.characters(textMeasure) >= ScreenWidth {
		some.Columns, some.Rows = nil, nil
		minor := func(j int) bool { return t.Columns[j].Minor }
		for j, c := range t.Columns {
			if !minor(j) {
				some.Columns = append(some.Columns, c)
			}
		}
		for _, r := range t.Rows {
			cells := r.Cells
			r.Cells = nil
			for j, c := range cells {
				if !minor(j) {
					r.Cells = append(r.Cells, c)
				}
			}
			some.Rows = append(some.Rows, r)
		}
	}
	some.Defines, some.Settings, some.Notes, some.Hints, some.Signatures = nil, Settings{}, nil, nil, nil
	return some.Write(w, "text")
}

// textRows appends heads and rows.
func (t *Table) textRows(b *strings.Builder) {
	fitted := t.textFitted()
	for _, run := range fitted.columnRuns(ScreenWidth-1, textMeasure) {
		b.WriteString(run.textBox() + "\n")
	}
}

// textFitted returns t with narrower labels, or narrower running text, so that a line fits the
// screen. It returns t itself if it already fits.
func (t *Table) textFitted() *Table {
	if t.characters(textMeasure) < ScreenWidth {
		return t
	}
	fitted := *t
	fitted.Columns = append([]Column(nil), t.Columns...)
	if t.running() {
		fitted.narrowText()
	} else {
		fitted.narrowLabels()
	}
	return &fitted
}

// narrowLabels limits the labels to half of the screen, as far as words allow. Names of settings
// are split into two lines, and the longest labels wrap.
func (t *Table) narrowLabels() {
	const room, least = ScreenWidth / 2, 16 // characters: of all labels, and minimum of a wrapped one
	widths, all := make([]int, t.Labels), 0
	for j := range widths {
		c := &t.Columns[j]
		if c.Setting && c.Align == Right {
			c.Head = strings.Replace(c.Head, "_", "\n_", 1)
		}
		widths[j] = t.columnCharacters(j, measure{})
		all += widths[j] + textMeasure.gap
	}
	for all > room {
		widest := -1
		for j, c := range t.Columns[:t.Labels] {
			if c.Align == Left && widths[j] > least && (widest < 0 || widths[j] > widths[widest]) {
				widest = j
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
		all--
		t.Columns[widest].Width = (float64(widths[widest]) + 0.01) / charsPerCm
	}
}

// narrowText narrows columns of running text so that a line fits the screen.
func (t *Table) narrowText() {
	const least = 20. // characters; less is unreadable
	running, rest := 0., 1
	for j, c := range t.Columns {
		if rest += textMeasure.gap; c.Width > 0 {
			running += c.Width
		} else {
			rest += t.columnCharacters(j, measure{})
		}
	}
	for j := range t.Columns {
		t.Columns[j].Width *= min(1, max(float64(ScreenWidth-rest), least)/charsPerCm/running)
	}
}

// textBox returns heads and rows between box lines. go-pretty upper-cases heads by default; that is
// switched off.
func (t *Table) textBox() string {
	w := pretty.NewWriter()
	style := pretty.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options.SeparateRows = false
	w.SetStyle(style)
	configs := make([]pretty.ColumnConfig, len(t.Columns))
	head := make(pretty.Row, len(t.Columns))
	for i, c := range t.Columns {
		align := [...]text.Align{Left: text.AlignLeft, Right: text.AlignRight, Center: text.AlignCenter}[c.Align]
		configs[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
		if c.Width > 0 {
			configs[i].Align, configs[i].AlignHeader = text.AlignLeft, text.AlignLeft
			configs[i].WidthMax = int(c.Width * charsPerCm)
			configs[i].WidthMaxEnforcer = text.WrapSoft
		}
		lines := strings.Split(c.Head, "\n")
		for j := range lines {
			lines[j] = clean(lines[j])
		}
		head[i] = strings.Join(lines, "\n")
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(head)
	cells := t.merged()
	for i, r := range t.Rows {
		if i > 0 && (r.Rule || r.Gap) {
			w.AppendSeparator()
		}
		row := make(pretty.Row, len(r.Cells))
		for j, c := range cells[i] {
			row[j] = c.stressed(c.Text, func(s string) string { return s }, "*", "*") + c.Sign
		}
		w.AppendRow(row)
	}
	return w.Render()
}

// wrap breaks s between words into lines of at most width letters. A longer word is not broken, but
// if bars is true, a word with bars, such as a signature, is broken after its bars and commas.
func wrap(s string, width int, bars bool) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		n, whole := text.StringWidth(word), !bars || !strings.Contains(word, "|")
		begins := n > width
		if !whole {
			begins = column+1+text.StringWidth(word[:barred(word)]) <= width
		}
		switch {
		case column > 0 && column+1+n > width && !begins:
			b.WriteByte('\n')
			column = 0
		case column > 0:
			b.WriteByte(' ')
			column++
		}
		if whole || column+n <= width {
			b.WriteString(word)
			column += n
			continue
		}
		for word != "" {
			end := barred(word)
			n := text.StringWidth(word[:end])
			if column > 0 && column+n > width {
				b.WriteByte('\n')
				column = 0
			}
			b.WriteString(word[:end])
			column, word = column+n, word[end:]
		}
	}
	return b.String()
}

// barred returns the index where the first piece of a word with bars ends.
func barred(word string) int {
	if i := strings.IndexAny(word, "|,"); i >= 0 {
		return i + 1
	}
	return len(word)
}
