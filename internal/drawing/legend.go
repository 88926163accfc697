package drawing

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Entry is one line of a legend: a sample of line and mark, and a text.
type Entry struct {
	Text string
	Line *Line
	Mark *Mark

	number string // in place of the sample
}

const (
	sampleWidth = vg.Length(20)
	sampleGap   = vg.Length(5)  // between a sample and its text
	columnGap   = vg.Length(12) // between columns
	legendLines = 3             // of the text of one entry
	longLegend  = 8             // entries, from which on there are two columns at least
)

// legend is set in columns under the panels, as many as there is room for.
type legend struct {
	pen     *pen
	sample  vg.Length
	columns []vg.Length // their widths, gaps not counted
	lines   [][]string
	entries []Entry
	across  *legend // nil, or the last entry, below the columns
}

// legend sets entries in columns. Where the last has several lines in its column, and no other has,
// it stands below them all: beside it there would be holes.
func (p *pen) legend(entries []Entry, width vg.Length) *legend {
	l := p.inColumns(entries, width, 0)
	last := len(entries) - 1
	long := func(lines []string) bool { return len(lines) > 1 }
	if len(l.columns) > 1 && slices.IndexFunc(l.lines, long) == last {
		across := p.inColumns(entries[last:], width, l.sample)
		l = p.inColumns(entries[:last], width, l.sample)
		l.across = across
	}
	return l
}

// inColumns gives entries as many columns as have room, and a sample of some width at least.
func (p *pen) inColumns(entries []Entry, width, sample vg.Length) *legend {
	l := &legend{pen: p, entries: entries, sample: sample}
	sty := p.style(draw.XLeft, draw.YBottom)
	for _, e := range entries {
		l.sample = max(l.sample, sty.Width(e.number))
		if e.Line != nil {
			l.sample = sampleWidth
		}
		if e.Mark != nil {
			l.sample = max(l.sample, 2*markRadius)
		}
	}
	for n := len(entries); n > 0; n-- {
		l.columns = make([]vg.Length, n)
		for i, e := range entries {
			at := i / l.rowCount()
			l.columns[at] = max(l.columns[at], l.sample+sampleGap+sty.Width(e.Text))
		}
		if l.width() <= width {
			break
		}
	}
	switch {
	case len(l.columns) == 1 && len(entries) >= longLegend: // a few long texts must not make a list of a page
		half := (width - columnGap) / 2
		l.columns = []vg.Length{half, half}
	case len(l.columns) == 1:
		l.columns[0] = min(l.columns[0], width)
	}
	for i, e := range entries {
		l.lines = append(l.lines, wrap(sty, e.Text, l.columns[i/l.rowCount()]-l.sample-sampleGap+0.01, legendLines))
	}
	return l
}

func (l *legend) rowCount() int { return (len(l.entries) + len(l.columns) - 1) / len(l.columns) }

// rows returns the entries' indices row by row, filled down the columns, and each row's height in
// lines.
func (l *legend) rows() (rows [][]int, lines []int) {
	n := l.rowCount()
	for r := range n {
		var row []int
		most := 1
		for i := r; i < len(l.entries); i += n {
			row = append(row, i)
			most = max(most, len(l.lines[i]))
		}
		rows, lines = append(rows, row), append(lines, most)
	}
	return rows, lines
}

func (l *legend) width() vg.Length {
	total := -columnGap
	for _, w := range l.columns {
		if w > 0 {
			total += w + columnGap
		}
	}
	if l.across != nil {
		total = max(total, l.across.width())
	}
	return total
}

func (l *legend) height() vg.Length {
	_, lines := l.rows()
	total := 0
	for _, n := range lines {
		total += n
	}
	height := vg.Length(total)*l.pen.lineHeight() + 2
	if l.across != nil {
		height += l.across.height() - 2
	}
	return height
}

// draw fills c, from its top left corner.
func (l *legend) draw(c draw.Canvas) {
	sty := l.pen.style(draw.XLeft, draw.YBottom)
	right := l.pen.style(draw.XRight, draw.YBottom)
	y := c.Max.Y
	rows, lines := l.rows()
	for r, row := range rows {
		base := y - 0.95*sty.Font.Size
		x := c.Min.X
		for i, at := range row {
			if i > 0 {
				x += l.columns[i-1] + columnGap
			}
			e := l.entries[at]
			middle := vg.Point{X: x + l.sample/2, Y: base + 0.33*sty.Font.Size}
			if e.Line != nil {
				c.StrokeLine2(e.Line.style(), x, middle.Y, x+l.sample, middle.Y)
			}
			if e.Mark != nil {
				e.Mark.draw(c, middle)
			}
			if e.number != "" {
				l.pen.letter(c, right, vg.Point{X: x + l.sample, Y: base}, e.number)
			}
			for j, line := range l.lines[at] {
				at := vg.Point{X: x + l.sample + sampleGap, Y: base - vg.Length(j)*l.pen.lineHeight()}
				l.pen.letter(c, sty, at, line)
			}
		}
		y -= vg.Length(lines[r]) * l.pen.lineHeight()
	}
	if l.across != nil {
		c.Max.Y = y
		l.across.draw(c)
	}
}
