package figure

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// TradeOff sets style against content: TST% over s-BLEU, a mark a system or point of a sweep, and
// the front of those that no other beats in both. Each system of ours has a mark of its own, which
// the legend names: all points of its sweep share it. A published one has its name beside it; where
// there is no room for that, a number, and the name stands in the legend.
type TradeOff struct {
	Panels []TradeOffPanel // usually one a data set; two in a row from 14 cm on
	Size   drawing.Size    // a panel is 6.5 cm high by default
}

// TradeOffPanel is one data set.
type TradeOffPanel struct {
	Title  string // "" for none
	Points []TradeOffPoint
}

// TradeOffPoint is one system, or one point of a sweep.
type TradeOffPoint struct {
	Name      string
	SBLEU     Value // BLEU-4 against the sources, percent
	TST       Value // outputs that the classifier takes for the target style, percent
	Published bool  // not ours

	// Neither of these is on the front or in its way.
	Collapsed bool // writes one word everywhere; in grey, with a sign behind its name
	People    bool // human references, no system; Published does not matter
}

func (f TradeOff) sheet() (*drawing.Sheet, error) {
	s := &drawing.Sheet{Size: f.Size, Height: 6.5, Columns: 1}
	seen := map[pointKind]bool{}
	var systems []string // ours
	steps := false
	for _, data := range f.Panels {
		if len(data.Points) == 0 {
			continue
		}
		x, y := drawing.EmptySpan(), drawing.EmptySpan()
		cloud := &drawing.Cloud{Steps: frontOf(data.Points)}
		for _, q := range data.Points {
			what := fmt.Sprintf("the figure of TST%% against s-BLEU, system %q,", q.Name)
			if err := finite(what, &q.SBLEU.Mean, &q.SBLEU.Deviation, &q.TST.Mean, &q.TST.Deviation); err != nil {
				return nil, err
			}
			x.Add(q.SBLEU)
			y.Add(q.TST)
			seen[q.kind()] = true
			point := drawing.Point{Name: q.label(), X: q.SBLEU, Y: q.TST, Mark: *q.kind().mark()}
			if q.kind() == ours || q.kind() == collapsedOurs {
				systems = lists.AddOnce(systems, q.Name)
				point.Name, point.Mark = "", *systemMark(slices.Index(systems, q.Name))
				if q.Collapsed {
					point.Name, point.Mark.Colour = collapsedSign, drawing.Pale
				}
			}
			if q.People {
				point.Name = "" // it is the only one, and the legend has it
			}
			cloud.Points = append(cloud.Points, point)
		}
		steps = steps || len(cloud.Steps) > 1
		s.Panels = append(s.Panels, &drawing.Panel{
			Title: data.Title, Grid: true, Cloud: cloud,
			X: drawing.Axis{Title: "s-BLEU, %", Range: x.Padded(0.08), Most: 7},
			Y: drawing.Axis{Range: y.Padded(0.08), Most: 7},
		})
	}
	if len(s.Panels) == 0 {
		return nil, nothing("TST% against s-BLEU", "at least one system with both figures")
	}
	if f.Size.Width >= twoColumns && len(s.Panels) > 1 {
		s.Columns = 2
	}
	for i := 0; i < len(s.Panels); i += s.Columns { // the title stands at the left only
		s.Panels[i].Y.Title = "TST, %"
	}
	for i, name := range systems {
		s.Legend = append(s.Legend, drawing.Entry{Text: name, Mark: systemMark(i)})
	}
	for k, text := range pointKinds {
		if kind := pointKind(k); seen[kind] && text != "" {
			s.Legend = append(s.Legend, drawing.Entry{Text: text, Mark: kind.mark()})
		}
	}
	if steps {
		front := "Pareto front"
		if seen[collapsedOurs] || seen[collapsedPublished] || seen[people] {
			front += " (without collapsed systems and people)"
		}
		s.Legend = append(s.Legend, drawing.Entry{Text: front, Line: &drawing.StepLine})
	}
	return s, nil
}

// systemMark is that of the i-th system of ours.
func systemMark(i int) *drawing.Mark {
	return &drawing.Mark{Colour: drawing.Colour(i), Shape: drawing.ShapeOf(i)}
}

// twoColumns is the width, in cm, from which panels stand two in a row.
const twoColumns = 14

// collapsedSign is that of package report's tables.
const collapsedSign = "‡"

// label is the name as it is drawn.
func (q *TradeOffPoint) label() string {
	if q.Collapsed && q.Name != "" {
		return q.Name + collapsedSign
	}
	return q.Name
}

// pointKind is what a point of TradeOff stands for; its mark shows it.
type pointKind int

const (
	ours pointKind = iota
	published
	collapsedOurs
	collapsedPublished
	people
)

// pointKinds are the legend's texts; ours stand there by name.
var pointKinds = [...]string{
	ours: "", published: "published", people: "human references",
	collapsedOurs: "collapsed" + collapsedSign, collapsedPublished: "published, collapsed" + collapsedSign,
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

// mark is that of a kind, in pale grey where it has collapsed.
func (k pointKind) mark() *drawing.Mark {
	m := &drawing.Mark{}
	switch k {
	case people:
		m = &drawing.Mark{Colour: drawing.Ink, Shape: drawing.Diamond}
	case published, collapsedPublished:
		m = &drawing.Mark{Colour: drawing.Muted, Shape: drawing.Triangle, Open: true}
	}
	if k == collapsedOurs || k == collapsedPublished {
		m.Colour = drawing.Pale
	}
	return m
}
