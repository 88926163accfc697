package serve

import (
	"slices"
	"unicode/utf8"
)

// labelData is the name of a system beside one of its marks.
type labelData struct {
	DX, DY float64 // from the mark
	Anchor string  // the class that aligns it
}

// The size of labels and marks, in units of the picture; letters are taken for wide ones.
const (
	letterWidth = 7.6
	labelHeight = 15
	markRadius  = 8
)

// box is a part of the picture that something stands in.
type box struct{ left, right, top, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

func (b box) inside(f plotFrame) bool {
	return b.left >= f.Left && b.right <= f.Right && b.top >= f.Top && b.bottom <= f.Bottom
}

// label names every system once, beside the first of its marks that has room: what has none is in
// the key, and is said when it is pointed at.
func (p *plotData) label(x, y axis) {
	var taken []box
	for _, m := range p.Marks {
		cx, cy := x.at(m.x), y.at(m.y)
		taken = append(taken, box{cx - markRadius, cx + markRadius, cy - markRadius, cy + markRadius})
	}
	named := map[string]bool{}
	for i := range p.Marks {
		m := &p.Marks[i]
		if named[m.System] {
			continue
		}
		cx, cy := x.at(m.x), y.at(m.y)
		width := letterWidth * float64(utf8.RuneCountInString(m.System))
		for _, side := range []struct {
			label labelData
			left  float64 // of the text, from the mark
		}{
			{labelData{markRadius + 3, 5, "start"}, markRadius + 3},
			{labelData{-markRadius - 3, 5, "end"}, -markRadius - 3 - width},
			{labelData{0, -markRadius - 5, "middle"}, -width / 2},
			{labelData{0, markRadius + 14, "middle"}, -width / 2},
		} {
			bottom := cy + side.label.DY + 3
			b := box{cx + side.left, cx + side.left + width, bottom - labelHeight, bottom}
			if !b.inside(p.Frame) || slices.ContainsFunc(taken, b.meets) {
				continue
			}
			taken, named[m.System] = append(taken, b), true
			m.Label = &side.label
			break
		}
	}
}
