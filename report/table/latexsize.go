package table

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Sizes in points. They are estimates: what turns out wider is shrunk.
const (
	latexChar        = 4.6    // a letter or digit in \small
	latexNarrow      = 2.6    // one of latexNarrowChars
	latexGap         = 8.0    // between two columns
	latexRow         = 11.0   // a line in \small
	latexRule        = 5.0    // a rule or the space between groups
	latexTop         = 36.0   // rules and heads of two lines
	latexCaptionLine = 12.0   // a line of the caption
	latexLeast       = 2. / 3 // the least scale: digits of 6 pt
	latexCmChars     = 4.8    // letters in a centimetre of running text, which is ragged right
	latexCm          = 484. / 17
	latexLabel       = 135.0 // wider labels become running text of this width
)

// latexNarrowChars are characters that take little room.
const latexNarrowChars = " .,:;|!'[]()/ijlt"

// latexWidth estimates the width of t.
func (t *Table) latexWidth() float64 {
	width := 0.0
	for j := range t.Columns {
		width += t.columnWidth(j)
	}
	return width
}

// columnWidth estimates the width of a column with its gap.
func (t *Table) columnWidth(j int) float64 {
	if width := t.Columns[j].Width; width > 0 {
		return width*latexCm + latexGap
	}
	most := 0.0
	for line := range strings.SplitSeq(t.Columns[j].Head, "\n") {
		most = max(most, latexTextWidth(line))
	}
	for _, r := range t.Rows {
		most = max(most, latexTextWidth(r.Cells[j].Text))
	}
	return most + latexGap
}

// latexTextWidth estimates the width of a text in \small.
func latexTextWidth(s string) float64 {
	width := 0.0
	for _, r := range s {
		if strings.ContainsRune(latexNarrowChars, r) {
			width += latexNarrow
		} else {
			width += latexChar
		}
	}
	return width
}

// captionHeight estimates that of all but the first line of the caption, for which the page has a
// reserve.
func (t *Table) captionHeight(line float64) float64 {
	width := latexTextWidth(t.Title+strings.Join(t.captionNotes(), " ")) * 10 / 9 // it is in \normalsize
	return latexCaptionLine * math.Floor(width/line)
}

// latexHeight estimates the height of a block.
func (t *Table) latexHeight() float64 {
	height := latexTop
	for i := range t.Rows {
		height += t.rowHeight(i)
	}
	return height
}

// apart says whether row i, unless it is the first, begins or follows a group of rows that belong
// together.
func (t *Table) apart(i int) bool {
	joined := func(i int) bool { return i < len(t.Rows) && t.Rows[i].Joined }
	return i > 0 && !joined(i) && (joined(i-1) || joined(i+1))
}

// rowHeight estimates the height of a row with what is above it.
func (t *Table) rowHeight(i int) float64 {
	lines := 1
	for j := range t.Columns {
		if !t.hangs(i, j) {
			lines = max(lines, t.lines(i, j))
		}
	}
	height := latexRow * float64(lines)
	if t.Rows[i].Rule || t.apart(i) {
		height += latexRule
	}
	return height
}

// lines estimates how many a cell takes.
func (t *Table) lines(i, j int) int {
	width, text := t.Columns[j].Width, t.Rows[i].Cells[j].Text
	if width == 0 || t.repeats(i, j) {
		return 1
	}
	return max(1, int(math.Ceil(float64(utf8.RuneCountInString(text))/(width*latexCmChars))))
}

// hangs says whether the lines of a label stand beside the rows below it that repeat it, which have
// room for them all: it makes its own row no higher.
func (t *Table) hangs(i, j int) bool {
	lines := t.lines(i, j)
	if lines == 1 || j >= t.Labels {
		return false
	}
	for k := i + 1; k < i+lines; k++ {
		if k == len(t.Rows) || t.Rows[k].Rule || !t.repeats(k, j) {
			return false
		}
	}
	return true
}
