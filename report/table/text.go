package table

import (
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// ScreenWidth is the assumed width of a terminal, in characters.
const ScreenWidth = 100

const (
	textPerCm = 5  // characters of running text per centimetre of Column.Width
	minLabel  = 16 // minimum width, in characters, of a label that wraps
)

// textInto appends t in plain text, with box lines, the title above and the notes below. If t is
// wider than the screen, it is split into several boxes, one below the other. Each box repeats the
// columns of labels.
func (t *Table) textInto(b *strings.Builder) {
	lines := append([]string{t.Title}, t.said()...)
	for i := range lines {
		lines[i] = wrap(Flat(lines[i]), ScreenWidth) + "\n"
	}
	b.WriteString(lines[0])
	for _, box := range t.boxes() {
		b.WriteString(box + "\n")
	}
	b.WriteString(strings.Join(lines[1:], ""))
}

// Screen writes t as the last output of a command: the title, the rows and the legend, but no other
// text about the table. If not all columns fit on the screen, it leaves out the minor columns.
func (t *Table) Screen(w io.Writer) error {
	some := t
	if !fitsScreen(t.box()) {
		some = t.only(func(j int) bool { return !t.Columns[j].Minor })
	}
	brief := *some
	brief.Defines, brief.Settings, brief.Notes, brief.Hints, brief.Signatures = nil, nil, nil, nil, nil
	return brief.Write(w, "text")
}

// boxes splits t into boxes that fit on the screen, each with as many columns as possible.
func (t *Table) boxes() (boxes []string) {
	if box := t.box(); fitsScreen(box) {
		return []string{box}
	}
	t = t.narrowLabels()
	for start := min(t.Labels, len(t.Columns)-1); start < len(t.Columns); {
		box, end := "", start
		for end < len(t.Columns) {
			more := t.only(func(j int) bool { return j < t.Labels || start <= j && j <= end }).box()
			if end > start && !fitsScreen(more) {
				break
			}
			box = more
			end++
		}
		boxes, start = append(boxes, box), end
	}
	return boxes
}

// narrowLabels returns a copy of t with narrower label columns. Text labels wrap, so that the
// labels take about half of the screen. Heads that are names of settings break before their first
// underscore.
func (t *Table) narrowLabels() *Table {
	narrow := *t
	narrow.Columns = append([]Column(nil), t.Columns...)
	for j := range t.Labels {
		c := &narrow.Columns[j]
		if c.Setting {
			c.Head = strings.Replace(c.Head, "_", "\n_", 1)
		}
		if c.Width == 0 && c.Align == Left {
			c.Width = float64(max(minLabel, ScreenWidth/2/t.Labels)) / textPerCm
		}
	}
	return &narrow
}

func fitsScreen(box string) bool { return text.LongestLineLen(box) <= ScreenWidth }

// box returns the heads and rows of t as text, with box lines around them.
func (t *Table) box() string {
	asIs := func(s string) string { return s }
	return t.writer(
		func(head string) string { return strings.Join(lists.Map(strings.Split(head, "\n"), clean), "\n") },
		func(c Cell) string { return c.stressed(c.Text, asIs, "*", "*") + c.Sign },
	).Render()
}

// writer returns a table of the library go-pretty with the heads and rows of t. The function head
// formats the text of a head, and the function cell formats a cell.
func (t *Table) writer(head func(string) string, cell func(Cell) string) pretty.Writer {
	w := pretty.NewWriter()
	style := pretty.StyleLight
	style.Format.Header = text.FormatDefault // keeps the letter case
	w.SetStyle(style)
	var configs []pretty.ColumnConfig
	var heads pretty.Row
	for j, c := range t.Columns {
		heads = append(heads, head(c.head()))
		configs = append(configs, c.prettyConfig(j+1))
	}
	w.AppendHeader(heads)
	w.SetColumnConfigs(configs)
	for i, cells := range t.merged() {
		if i > 0 && (t.Rows[i].Rule || t.Rows[i].Gap) {
			w.AppendSeparator()
		}
		var row pretty.Row
		for _, c := range cells {
			row = append(row, cell(c))
		}
		w.AppendRow(row)
	}
	return w
}

// prettyConfig returns the alignment and the width of a column for go-pretty.
func (c Column) prettyConfig(number int) pretty.ColumnConfig {
	align := [...]text.Align{Left: text.AlignLeft, Right: text.AlignRight, Center: text.AlignCenter}[c.Align]
	if c.Width > 0 {
		align = text.AlignLeft
	}
	return pretty.ColumnConfig{
		Number: number, Align: align, AlignHeader: align,
		WidthMax: int(c.Width * textPerCm), WidthMaxEnforcer: text.WrapSoft,
	}
}

// wrap breaks s between words into lines of at most width characters. It does not break a word that
// is longer than width.
func wrap(s string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		n := text.StringWidth(word)
		switch {
		case column > 0 && column+1+n > width:
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
