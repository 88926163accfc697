package table

import (
	"math"
	"slices"
)

// latexPaper is the room for a table on a page of the class article at 10 pt on A4
// with margins of 2 cm, in points. The height leaves a reserve for the caption.
type latexPaper struct{ line, page float64 }

var (
	latexPortrait  = latexPaper{484, 640} // 17 cm by 25.7 cm
	latexLandscape = latexPaper{731, 410}
)

// latexColumn is the width of one column of a two-column paper.
const latexColumn = 240.0

// latexFloat is one table environment: tables one below the other.
type latexFloat struct {
	blocks []*Table
	height float64
}

// latexFloats cuts t into what fits a page each. A table that would have to shrink below latexLeast
// lies on its side, and one for which that is not enough is cut into runs of columns, each behind
// the labels of its rows. A table without rows is one float.
func (t *Table) latexFloats() (floats []latexFloat, landscape bool) {
	t = t.latexWrapped()
	paper := latexPortrait
	if t.latexWidth() > paper.line/latexLeast {
		paper, landscape = latexLandscape, true
	}
	floats = []latexFloat{{height: t.captionHeight(paper.line)}}
	// put returns the float that has room for what comes next.
	put := func(height float64) *latexFloat {
		last := &floats[len(floats)-1]
		if len(last.blocks) > 0 && last.height+height > paper.page {
			floats = append(floats, latexFloat{})
			last = &floats[len(floats)-1]
		}
		last.height += height
		return last
	}
	for _, part := range t.columnParts(paper.line) {
		scale := min(1, paper.line/part.latexWidth())
		for _, block := range part.pages(paper.page / scale) {
			f := put(block.latexHeight() * scale)
			f.blocks = append(f.blocks, block)
		}
	}
	return floats, landscape
}

// latexWrapped is t with long labels as running text.
func (t *Table) latexWrapped() *Table {
	wrapped := *t
	wrapped.Columns = make([]Column, len(t.Columns))
	for j, c := range t.Columns {
		if j < t.Labels && c.Width == 0 && t.columnWidth(j) > latexLabel+latexGap {
			c.Width = latexLabel / latexCm
		}
		wrapped.Columns[j] = c
	}
	return &wrapped
}

// columnParts cuts t into runs of columns of about equal width where it would have to shrink below
// latexLeast; else it is t alone.
func (t *Table) columnParts(line float64) []*Table {
	labels, figures := 0.0, 0.0
	for j := range t.Columns {
		if j < t.Labels {
			labels += t.columnWidth(j)
		} else {
			figures += t.columnWidth(j)
		}
	}
	if t.Labels == 0 || labels+figures <= line/latexLeast {
		return []*Table{t}
	}
	room := max(line/latexLeast-labels, line/3) // of the figures beside the labels
	each := figures / math.Ceil(figures/room)
	var parts []*Table
	for start := t.Labels; start < len(t.Columns); {
		end, width := start, 0.0
		for ; end < len(t.Columns) && (end == start || width+t.columnWidth(end)/2 <= each); end++ {
			width += t.columnWidth(end)
		}
		parts = append(parts, t.columnPart(start, end))
		start = end
	}
	return parts
}

// columnPart is t with its labels and the columns from start up to end, without rows of the paper
// that are empty there.
func (t *Table) columnPart(start, end int) *Table {
	part := *t
	part.Columns, part.Rows = nil, make([]Row, len(t.Rows))
	copy(part.Rows, t.Rows)
	for i := range part.Rows {
		part.Rows[i].Cells = nil
	}
	for j, c := range t.Columns {
		if j >= t.Labels && (j < start || j >= end) {
			continue
		}
		part.Columns = append(part.Columns, c)
		for i, r := range t.Rows {
			part.Rows[i].Cells = append(part.Rows[i].Cells, r.Cells[j])
		}
	}
	// The paper may have nothing in these columns.
	part.Rows = slices.DeleteFunc(part.Rows, func(r Row) bool {
		return r.Joined && !slices.ContainsFunc(r.Cells[t.Labels:], func(c Cell) bool { return c.Text != "" })
	})
	return &part
}

// pages cuts the rows into runs of some height, but not between rows that belong together, and
// where rows stand in groups between lines, of which half a page holds one, not within a group. A
// table without rows is one empty run.
func (t *Table) pages(limit float64) []*Table {
	var parts []*Table
	start, height := 0, latexTop
	page := func(end int) {
		part := *t
		part.Rows = t.Rows[start:end]
		parts = append(parts, &part)
	}
	for i := 0; i < len(t.Rows); {
		end, group := t.unit(i, limit/2)
		if height+group > limit && i > start {
			page(i)
			start, height = i, latexTop
		}
		height += group
		i = end
	}
	page(len(t.Rows))
	return parts
}

// unit is where the rows end that stay together with row i, and their height: the rows joined to
// it, or all up to the next line where these are no higher than most.
func (t *Table) unit(i int, most float64) (end int, height float64) {
	run := func(with func(r *Row) bool) (end int, height float64) {
		for end = i; end == i || end < len(t.Rows) && with(&t.Rows[end]); end++ {
			height += t.rowHeight(end)
		}
		return end, height
	}
	if i == 0 || t.Rows[i].Rule {
		if end, height = run(func(r *Row) bool { return !r.Rule }); height <= most {
			return end, height
		}
	}
	return run(func(r *Row) bool { return r.Joined })
}
