package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
)

// TradeOff sets one metric against another, as style against content: a mark a system or point of
// a sweep, and the front of those that no other beats in both. Each system of ours has a mark of
// its own, which the legend names: all points of its sweep share it. A published one has its name
// beside it; where there is no room for that, a number, and the name stands in the legend. Where
// points crowd together in a part of a panel, that part is framed, and a second panel shows it
// larger (crowd.go).
type TradeOff struct {
	X, Y   string          // the titles of the axes
	Front  bool            // draw the front: of both metrics more is better
	Panels []TradeOffPanel // usually one a data set; two in a row from 14 cm on
	Size   drawing.Size    // a panel is 6.5 cm high by default, 5.5 where some are shown larger
}

// TradeOffPanel is one data set.
type TradeOffPanel struct {
	Title  string // "" for none
	Points []TradeOffPoint
}

// TradeOffPoint is one system, or one point of a sweep.
type TradeOffPoint struct {
	Name      string
	X, Y      Value
	Published bool // not ours

	// What has either of these is neither on the front nor in its way.
	Flaws string // by name, "collapsed‡, shortened¶": in grey, with Signs behind its name; "": none
	Signs string // "‡§¶"
	Human bool   // human references, no system; Published does not matter
}

func (f TradeOff) sheet() (*drawing.Sheet, error) {
	s := &drawing.Sheet{Size: f.Size, Height: 6.5, Columns: 1}
	var seen []pointKind
	var systems []string // ours
	steps := false
	for _, data := range f.Panels {
		if len(data.Points) == 0 {
			continue
		}
		x, y := drawing.EmptySpan(), drawing.EmptySpan()
		cloud := &drawing.Cloud{}
		if f.Front {
			cloud.Steps = frontOf(data.Points)
		}
		for _, q := range data.Points {
			what := fmt.Sprintf("the figure of the trade-off, system %q,", q.Name)
			if err := finite(what, &q.X.Mean, &q.X.Deviation, &q.Y.Mean, &q.Y.Deviation); err != nil {
				return nil, err
			}
			x.Add(q.X)
			y.Add(q.Y)
			seen = lists.AddOnce(seen, q.kind())
			point := drawing.Point{Name: q.label(), X: q.X, Y: q.Y, Mark: *q.kind().mark()}
			if !q.Human && !q.Published {
				systems = lists.AddOnce(systems, q.Name)
				point.Name, point.Mark = q.Signs, *systemMark(slices.Index(systems, q.Name))
				if q.Flaws != "" {
					point.Mark.Colour = drawing.Pale
				}
			}
			if q.Human {
				point.Name = "" // it is the only one, and the legend has it
			}
			cloud.Points = append(cloud.Points, point)
		}
		steps = steps || len(cloud.Steps) > 1
		panel := &drawing.Panel{
			Title: data.Title, Grid: true, Cloud: cloud,
			X: drawing.Axis{Title: f.X, Range: x.Padded(0.08), Most: 7},
			Y: drawing.Axis{Title: f.Y, Range: y.Padded(0.08), Most: 7},
		}
		s.Panels = append(s.Panels, panel)
		if larger := enlarge(panel); larger != nil {
			s.Panels, s.Height = append(s.Panels, larger), 5.5
		}
	}
	if len(s.Panels) == 0 {
		return nil, nothing("the trade-off", "at least one system that has both metrics")
	}
	if f.Size.Width >= twoColumns && len(s.Panels) > 1 {
		s.Columns = 2
	}
	for i, p := range s.Panels { // one title at the left of a row
		if i%s.Columns > 0 {
			p.Y.Title = ""
		}
	}
	for i, name := range systems {
		s.Legend = append(s.Legend, drawing.Entry{Text: name, Mark: systemMark(i)})
	}
	slices.SortStableFunc(seen, func(a, b pointKind) int { return a.rank() - b.rank() })
	human, grey := false, false // which are off the front
	for _, kind := range seen {
		human, grey = human || kind.human, grey || kind.flaws != ""
		if text := kind.text(); text != "" {
			s.Legend = append(s.Legend, drawing.Entry{Text: text, Mark: kind.mark()})
		}
	}
	if steps {
		front := "Pareto front"
		switch {
		case human && grey:
			front += " (without human references and grey marks)"
		case human:
			front += " (without human references)"
		case grey:
			front += " (without grey marks)"
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

// label is the name as it is drawn.
func (q *TradeOffPoint) label() string {
	if q.Name == "" {
		return ""
	}
	return q.Name + q.Signs
}

// pointKind is what a point of TradeOff stands for; its mark shows it.
type pointKind struct {
	published, human bool
	flaws            string // as of the point
}

func (q *TradeOffPoint) kind() pointKind {
	if q.Human {
		return pointKind{human: true}
	}
	return pointKind{published: q.Published, flaws: q.Flaws}
}

// text is the legend's, "" of ours, which stand there by name.
func (k pointKind) text() string {
	switch {
	case k.human:
		return "human references"
	case k.published && k.flaws != "":
		return "published, " + k.flaws
	case k.published:
		return "published"
	}
	return k.flaws
}

// rank is the kind's place in the legend.
func (k pointKind) rank() int {
	switch {
	case k.human:
		return 3
	case k.flaws == "":
		return 0
	case k.published:
		return 2
	}
	return 1
}

// mark is that of a kind, in pale grey where it has a flaw.
func (k pointKind) mark() *drawing.Mark {
	m := &drawing.Mark{}
	switch {
	case k.human:
		m = &drawing.Mark{Colour: drawing.Ink, Shape: drawing.Diamond}
	case k.published:
		m = &drawing.Mark{Colour: drawing.Muted, Shape: drawing.Triangle, Open: true}
	}
	if k.flaws != "" {
		m.Colour = drawing.Pale
	}
	return m
}

// axisTitles name the metrics of the study's figure with their unit; others have the head of their
// column.
var axisTitles = map[string]string{"s_bleu": "s-BLEU, %", "tst": "TST, %"}

func axisTitle(m *metrics.Metric) string { return cmp.Or(axisTitles[m.Key], table.Flat(m.Head)) }

// TradeOffOf has a panel a data set, and a point a system and setting of the sweep; seeds are a
// mean with its deviation. It is nil where no row has both metrics.
func TradeOffOf(rows []report.ResultRow, x, y *metrics.Metric) Figure {
	f := TradeOff{X: axisTitle(x), Y: axisTitle(y), Front: x.Better == metrics.Higher && y.Better == metrics.Higher}
	both := lists.Where(rows, func(row report.ResultRow) bool {
		_, across := row.Metrics.Metrics[x.Key]
		_, up := row.Metrics.Metrics[y.Key]
		return across && up
	})
	for _, group := range report.BySeed(both) {
		seeds := lists.Map(group, func(i int) report.ResultRow { return both[i] })
		k := slices.IndexFunc(f.Panels, func(p TradeOffPanel) bool { return p.Title == seeds[0].Dataset })
		if k < 0 {
			k, f.Panels = len(f.Panels), append(f.Panels, TradeOffPanel{Title: seeds[0].Dataset})
		}
		f.Panels[k].Points = append(f.Panels[k].Points, tradeOffPoint(seeds, x, y))
	}
	if len(f.Panels) == 0 {
		return nil
	}
	if len(f.Panels) > 1 {
		f.Size.Width = 16 // of the text of a two-column paper
	}
	return f
}

// tradeOffPoint is that of rows that differ in the seed alone.
func tradeOffPoint(rows []report.ResultRow, x, y *metrics.Metric) TradeOffPoint {
	row := &rows[0]
	of := func(m *metrics.Metric) Value {
		return *overSeeds(rows, func(row report.ResultRow) float64 { return m.Shown(row.Metrics.Metrics[m.Key]) })
	}
	q := TradeOffPoint{
		Name: report.SystemOf(row), X: of(x), Y: of(y), Published: row.Published,
		// the human references
		Human: slices.ContainsFunc(rows, func(row report.ResultRow) bool { return row.Unranked }),
	}
	flaws := lists.Where(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return slices.ContainsFunc(rows, func(row report.ResultRow) bool { return row.Metrics.Has(f) })
	})
	q.Flaws = strings.Join(lists.Map(flaws, func(f *metrics.Flaw) string { return f.Name + f.Sign }), ", ")
	q.Signs = metrics.Signs(flaws)
	return q
}

// xy is a point of which both coordinates are the better the larger.
type xy struct{ x, y float64 }

// pareto returns the indices of the points that no other point dominates, that is, equals or
// exceeds in both coordinates and exceeds in one: by rising X, equal points in the order given.
func pareto(points []xy) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { // from the right; of one X, the highest first
		a, b := points[i], points[j]
		return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(b.y, a.y), j-i) // the front is turned round in the end
	})
	var front []int
	for _, i := range order {
		if len(front) == 0 || points[i].y > points[front[len(front)-1]].y || points[i] == points[front[len(front)-1]] {
			front = append(front, i)
		}
	}
	slices.Reverse(front)
	return front
}

// frontOf returns the points on the front, by rising X: systems without a flaw.
func frontOf(points []TradeOffPoint) []int {
	var of []xy
	var ranked []int
	for i, q := range points {
		if q.Flaws == "" && !q.Human {
			of, ranked = append(of, xy{q.X.Mean, q.Y.Mean}), append(ranked, i)
		}
	}
	front := pareto(of)
	for i, at := range front {
		front[i] = ranked[at]
	}
	return front
}
