package figure

import "gonum.org/v1/plot/vg/draw"

// pointKind is what a point of TradeOff stands for; its mark shows it.
type pointKind int

const (
	ours pointKind = iota
	published
	collapsedOurs
	collapsedPublished
	people
)

// pointKinds are the legend's texts.
var pointKinds = [...]string{
	ours: "ours", published: "published", collapsedOurs: "ours, collapsed" + collapsedSign, collapsedPublished: "published, collapsed" + collapsedSign, people: "people",
}

func (q *TradeOffPoint) kind() pointKind {
	switch {
	case q.People:
		return people
	case q.Collapsed && q.Published:
		return collapsedPublished
	case q.Collapsed:
		return collapsedOurs
	case q.Published:
		return published
	}
	return ours
}

// mark keeps the shapes of ours and of published systems where they have collapsed, in grey.
func (k pointKind) mark() draw.GlyphStyle {
	m := draw.GlyphStyle{Radius: markRadius}
	switch k {
	case people:
		m.Color, m.Shape = ink, mark{shape: diamond}
	case published, collapsedPublished:
		m.Color, m.Shape = palette[3], mark{shape: triangle, open: true}
	default:
		m.Color, m.Shape = palette[0], mark{shape: circle}
	}
	if k == collapsedOurs || k == collapsedPublished {
		m.Color = pale
	}
	return m
}
