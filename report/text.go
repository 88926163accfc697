package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// charsPerCm is how many letters of running text stand for a centimetre of a column's width.
const charsPerCm = 7

// minNoteWidth is how wide the notes under a narrow table may be.
const minNoteWidth = 100

// textInto appends t for a terminal: box lines, no colours, the title above and the notes below. go-pretty upper-cases
// heads and colours numbers by itself; both are switched off.
func (t *Table) textInto(b *strings.Builder) {
	w := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options.SeparateRows = false
	w.SetStyle(style)
	configs := make([]table.ColumnConfig, len(t.Columns))
	head := make(table.Row, len(t.Columns))
	for i, c := range t.Columns {
		align := [...]text.Align{Left: text.AlignLeft, Right: text.AlignRight, Center: text.AlignCenter}[c.Align]
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
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
	texts := t.merged(t.Rows)
	for i, r := range t.Rows {
		if r.Rule && i > 0 {
			w.AppendSeparator()
		}
		row := make(table.Row, len(r.Cells))
		for j := range r.Cells {
			row[j] = texts[i][j]
		}
		w.AppendRow(row)
	}
	rendered := w.Render()
	firstLine, _, _ := strings.Cut(rendered, "\n")
	width := max(text.StringWidth(firstLine), minNoteWidth)
	b.WriteString(flat(t.Title) + "\n" + rendered + "\n")
	for _, n := range t.Notes {
		for line := range strings.Lines(text.WrapSoft(flat(n), width) + "\n") {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
}
