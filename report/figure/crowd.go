package figure

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
)

// Points crowd where they are so near each other, as shares of the axes, that marks hide marks, or
// names have no room. Many of them together are shown larger, in a frame of which each side is a
// small part of its axis: a large part would gain nothing.
const (
	hides     = 0.02 // of a mark nearly all; it is about 0.03 wide
	touches   = 0.045
	namesMeet = 0.085
	fewest    = 4
	mostFrame = 0.42
	onePlace  = 0.004 // points so near each other have one place: enlarging does not part them
	frameRoom = 0.035 // around the points of a frame
	beside    = 0.03  // of a frame, a point is taken into it
)

// enlarge takes the crowded part of a panel out into a panel of its own, with its names; nil where
// nothing crowds.
func enlarge(p *drawing.Panel) *drawing.Panel {
	frame := crowdOf(p)
	if frame == nil {
		return nil
	}
	title := "framed part, enlarged"
	if p.Title != "" {
		title = p.Title + ": " + title
	}
	larger := &drawing.Panel{
		Title: title, Grid: true, Cloud: &drawing.Cloud{},
		X: drawing.Axis{Title: p.X.Title, Range: frame.X, Most: p.X.Most},
		Y: drawing.Axis{Title: p.Y.Title, Range: frame.Y, Most: p.Y.Most},
	}
	at := map[int]int{} // of a point of the panel, its place in the larger one
	for i := range p.Cloud.Points {
		q := &p.Cloud.Points[i]
		if !frame.Holds(q.X.Mean, q.Y.Mean) {
			continue
		}
		at[i] = len(larger.Cloud.Points)
		larger.Cloud.Points = append(larger.Cloud.Points, *q)
		q.Name, q.Framed = "", true
	}
	for _, i := range p.Cloud.Steps {
		if k, is := at[i]; is {
			larger.Cloud.Steps = append(larger.Cloud.Steps, k)
		}
	}
	p.Frame = frame
	return larger
}

// crowdOf is a frame around the points of a panel that crowd, nil where too few do.
func crowdOf(p *drawing.Panel) *drawing.Frame {
	points := p.Cloud.Points
	wide, high := p.X.Range.High-p.X.Range.Low, p.Y.Range.High-p.Y.Range.Low
	apart := func(i, k int) float64 {
		return math.Hypot((points[i].X.Mean-points[k].X.Mean)/wide, (points[i].Y.Mean-points[k].Y.Mean)/high)
	}
	group := make([]int, len(points)) // of a point, the first of those that it crowds with
	for i := range points {
		group[i] = i
		for k := range i {
			reach := touches
			if points[i].Name != "" && points[k].Name != "" {
				reach = namesMeet
			}
			if was, is := group[i], group[k]; apart(i, k) < reach && was != is {
				for n := range i + 1 {
					if group[n] == max(was, is) {
						group[n] = min(was, is)
					}
				}
			}
		}
	}
	crowds := map[int][]int{}
	for i, of := range group {
		crowds[of] = append(crowds[of], i)
	}
	var largest [][]int
	for _, of := range slices.Sorted(maps.Keys(crowds)) {
		if c := crowds[of]; len(c) >= fewest && hidden(c, points, apart) {
			largest = append(largest, c)
		}
	}
	slices.SortStableFunc(largest, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	var frame *drawing.Frame
	grow := func(with ...int) bool { // where it stays small
		grown := drawing.Frame{X: drawing.EmptySpan(), Y: drawing.EmptySpan()}
		if frame != nil {
			grown = *frame
		}
		for _, i := range with {
			grown.X.Add(Value{Mean: points[i].X.Mean, Deviation: frameRoom * wide})
			grown.Y.Add(Value{Mean: points[i].Y.Mean, Deviation: frameRoom * high})
		}
		is := grown.X.High-grown.X.Low < mostFrame*wide && grown.Y.High-grown.Y.Low < mostFrame*high
		if is && (frame == nil || grown != *frame) {
			frame = &grown
			return true
		}
		return false
	}
	for _, c := range largest {
		grow(c...)
	}
	for again := frame != nil; again; {
		again = false
		for i, q := range points {
			near := drawing.Frame{
				X: drawing.Span{Low: frame.X.Low - beside*wide, High: frame.X.High + beside*wide},
				Y: drawing.Span{Low: frame.Y.Low - beside*high, High: frame.Y.High + beside*high},
			}
			again = near.Holds(q.X.Mean, q.Y.Mean) && grow(i) || again
		}
	}
	return frame
}

// hidden says whether a crowd has a mark that hides another, or names without room. Points of one
// place stand beside each other without a frame.
func hidden(crowd []int, points []drawing.Point, apart func(i, k int) float64) bool {
	if !slices.ContainsFunc(crowd, func(i int) bool { return apart(crowd[0], i) > onePlace }) {
		return false
	}
	named := 0
	for n, i := range crowd {
		if points[i].Name != "" {
			named++
		}
		if slices.ContainsFunc(crowd[:n], func(k int) bool { return apart(i, k) < hides }) {
			return true
		}
	}
	return named >= fewest
}
