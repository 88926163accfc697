package table

import (
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// charsPerCm is how many letters of running text stand for a centimetre of a column's width.
const charsPerCm = 7

// minNoteWidth is how wide the notes under a narrow table may be.
const minNoteWidth = 100

// textInto appends t for a terminal: box lines, no colours, the title above and the notes below.
// go-pretty upper-cases heads and colours numbers by itself; both are switched off.
func (t *Table) textInto(b *strings.Builder) {
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
	texts := t.merged()
	for i, r := range t.Rows {
		if r.Rule && i > 0 {
			w.AppendSeparator()
		}
		row := make(pretty.Row, len(r.Cells))
		for j, c := range r.Cells {
			row[j] = c.stressed(texts[i][j], func(s string) string { return s }, "*", "*") + c.Sign
		}
		w.AppendRow(row)
	}
	rendered := w.Render()
	firstLine, _, _ := strings.Cut(rendered, "\n")
	width := max(text.StringWidth(firstLine), minNoteWidth)
	b.WriteString(Flat(t.Title) + "\n" + rendered + "\n")
	for _, n := range t.said() {
		b.WriteString(wrap(Flat(n), width) + "\n")
	}
}

// wrap breaks s between words into lines of at most width letters. A longer word stands whole, so
// that a signature can be copied.
func wrap(s string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		n := text.StringWidth(word)
		switch {
		case column > 0 && column+1+n > width && n <= width:
			b.WriteByte('\n')
			column = 0
		case column > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
