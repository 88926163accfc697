package figure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// point is one system with one combination of settings. x and y are means over seeds. xBar and yBar
// are standard deviations.
type point struct {
	name       string
	x, y       float64
	xBar, yBar float64
	published  bool     // set if the system is not ours
	human      bool     // set if the outputs are human references
	flaws      []string // names of the flaws: "collapsed", "left unchanged"; a point with a flaw is not ranked
}

// ranked reports whether the point can be on the Pareto front.
func (q *point) ranked() bool { return !q.human && len(q.flaws) == 0 }

// TradeOff plots one metric against another, such as style against content, with one panel per data
// set. If higher is better for both metrics, it also draws the Pareto front. The legend explains
// the marks of our systems. A published system has its name next to its mark, if there is room.
// Systems without outputs in some directions are left out. The figure is nil if no record has both
// metrics.
func TradeOff(records []*report.Record, x, y *metrics.Metric) (*Figure, error) {
	f := newFigure(6.5 * vg.Centimeter)
	front := x.Better == metrics.Higher && y.Better == metrics.Higher
	datasets, points := tradeOffPoints(records, x, y)
	legend := &tradeOffLegend{}
	for _, dataset := range datasets {
		title := ""
		if len(datasets) > 1 {
			title = dataset
		}
		panel := newPanel(title, axisTitle(x), axisTitle(y))
		if err := legend.add(panel, points[dataset], front); err != nil {
			return nil, err
		}
		f.panels = append(f.panels, panel)
	}
	if len(f.panels) == 0 {
		return nil, nil
	}
	f.columns = min(2, len(f.panels))
	return f, legend.write(&f.legend)
}

// tradeOffLegend collects what the legend must explain.
type tradeOffLegend struct {
	systems          []string // names of our systems
	published, human bool
	flaws            []string
	front            *plotter.Line
}

// These are the marks of points that are not our systems.
var (
	publishedMark = draw.GlyphStyle{Color: palette.Muted, Radius: 2.4, Shape: draw.TriangleGlyph{}}
	humanMark     = draw.GlyphStyle{Color: palette.Ink, Radius: 2.8, Shape: draw.PlusGlyph{}}
)

// mark returns the mark of a point, and remembers for the legend that this mark is used. If the
// point has a flaw, its mark is pale grey.
func (l *tradeOffLegend) mark(q *point) draw.GlyphStyle {
	mark := humanMark
	switch {
	case q.human:
		l.human = true
	case q.published:
		mark, l.published = publishedMark, true
	default:
		l.systems = lists.AddOnce(l.systems, q.name)
		mark = markOf(slices.Index(l.systems, q.name), filled)
	}
	if len(q.flaws) > 0 {
		mark.Color = palette.Pale
		l.flaws = lists.AddOnce(l.flaws, q.flaws...)
	}
	return mark
}

// add draws the points of a data set. If front is set, it also draws their Pareto front.
func (l *tradeOffLegend) add(panel *plot.Plot, points []point, front bool) error {
	if best := frontOf(points); front && len(best) > 1 {
		steps, err := plotter.NewLine(best)
		if err != nil {
			return err
		}
		steps.StepStyle = plotter.PreStep
		steps.LineStyle = draw.LineStyle{Color: palette.Muted, Width: thin, Dashes: dashes}
		panel.Add(steps)
		l.front = steps
	}
	var beside names
	for _, q := range points {
		marks, err := plotter.NewScatter(plotter.XYs{{X: q.x, Y: q.y}})
		if err != nil {
			return err
		}
		marks.GlyphStyle = l.mark(&q)
		bars := struct {
			plotter.XYs
			plotter.XErrors
			plotter.YErrors
		}{marks.XYs, plotter.XErrors{{Low: q.xBar, High: q.xBar}}, plotter.YErrors{{Low: q.yBar, High: q.yBar}}}
		for _, bar := range []struct {
			length float64
			make   func() (plot.Plotter, error)
		}{
			{q.xBar, func() (plot.Plotter, error) { return plotter.NewXErrorBars(bars) }},
			{q.yBar, func() (plot.Plotter, error) { return plotter.NewYErrorBars(bars) }},
		} {
			if bar.length == 0 {
				continue
			}
			drawn, err := bar.make()
			if err != nil {
				return err
			}
			panel.Add(drawn)
		}
		panel.Add(marks)
		name := ""
		if q.published && !q.human {
			name = plain(q.name)
		}
		beside = append(beside, namedPoint{marks.XYs[0], name})
	}
	panel.Add(beside)
	return nil
}

func (l *tradeOffLegend) write(to *plot.Legend) error {
	add := func(text string, style draw.GlyphStyle) {
		to.Add(plain(text), &plotter.Scatter{GlyphStyle: style})
	}
	for i, name := range l.systems {
		add(name, markOf(i, filled))
	}
	if l.published {
		add("published", publishedMark)
	}
	if l.human {
		add("human references", humanMark)
	}
	if len(l.flaws) > 0 {
		pale := markOf(0, filled)
		pale.Color = palette.Pale
		add("pale: "+strings.Join(l.flaws, ", "), pale)
	}
	if l.front != nil {
		to.Add("Pareto front", l.front)
	}
	return nil
}

// names draws the names of points next to their marks. A name is left out if it would overlap
// another name or a mark, or would extend beyond the sides of the panel.
type names []namedPoint

type namedPoint struct {
	at   plotter.XY
	name string
}

// Plot implements plot.Plotter.
func (n names) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const away = 4
	mark := vg.Rectangle{Min: vg.Point{X: -away, Y: -away}, Max: vg.Point{X: away, Y: away}}
	place := func(q namedPoint) vg.Point { return vg.Point{X: x(q.at.X), Y: y(q.at.Y)} }
	taken := lists.Map(n, func(q namedPoint) vg.Rectangle { return mark.Add(place(q)) })
	style := p.X.Tick.Label
	style.YAlign = draw.YCenter
	for _, q := range n {
		style.XAlign = draw.XLeft
		box := style.Rectangle(q.name)
		wide, high := box.Size().X, box.Size().Y
		for _, shift := range []vg.Point{
			{X: away + 1}, {X: -away - 1 - wide}, {X: -wide / 2, Y: high/2 + away}, {X: -wide / 2, Y: -high/2 - away},
		} {
			at := place(q).Add(shift)
			stands := box.Add(at)
			if overlaps(stands, taken) || stands.Min.X < c.Min.X || stands.Max.X > c.Max.X {
				continue
			}
			c.FillText(style, at, q.name)
			taken = append(taken, stands)
			break
		}
	}
}

func overlaps(box vg.Rectangle, taken []vg.Rectangle) bool {
	return slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
		return box.Min.X < t.Max.X && t.Min.X < box.Max.X && box.Min.Y < t.Max.Y && t.Min.Y < box.Max.Y
	})
}

// axisTitles holds the axis titles, with units, of the metrics in the study's figure. Any other
// metric has the head of its table column as its title.
var axisTitles = map[string]string{"s_bleu": "s-BLEU, %", "tst": "TST, %"}

func axisTitle(m *metrics.Metric) string { return cmp.Or(axisTitles[m.Key], table.Flat(m.Head)) }

// tradeOffPoints makes points from the records that have both metrics. It returns the data sets,
// and the points of each.
func tradeOffPoints(
	records []*report.Record, x, y *metrics.Metric,
) (datasets []string, points map[string][]point) {
	both := lists.Filter(records, func(r *report.Record) bool {
		_, across := r.Values[x.Key]
		_, up := r.Values[y.Key]
		return r.From == report.FromSystems && !r.Partial && across && up
	})
	points = map[string][]point{}
	for _, seeds := range report.Over(report.Seed, both) {
		dataset := seeds[0].Dataset()
		datasets = lists.AddOnce(datasets, dataset)
		points[dataset] = append(points[dataset], pointOf(seeds, x, y))
	}
	return datasets, points
}

// pointOf returns the point for records that differ only in the seed.
func pointOf(seeds []*report.Record, x, y *metrics.Metric) point {
	q := point{
		name: seeds[0].SystemName(), published: seeds[0].Kind != report.Ours, human: seeds[0].Kind == report.People,
		flaws: lists.Map(report.FlawsOf(seeds...), func(f *metrics.Flaw) string { return f.Name }),
	}
	q.x, q.xBar = overSeeds(seeds, func(r *report.Record) float64 { return x.Printed(r.Values[x.Key]) })
	q.y, q.yBar = overSeeds(seeds, func(r *report.Record) float64 { return y.Printed(r.Values[y.Key]) })
	return q
}

// frontOf returns the Pareto front, sorted by rising x. A ranked point is on the front unless
// another ranked point is at least as high in both x and y.
func frontOf(points []point) plotter.XYs {
	order := lists.Filter(points, func(q point) bool { return q.ranked() })
	slices.SortStableFunc(order, func(a, b point) int { return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(b.y, a.y)) })
	var front plotter.XYs
	for _, q := range order { // from right to left: a point must be higher than all points to its right
		if len(front) == 0 || q.y > front[len(front)-1].Y {
			front = append(front, plotter.XY{X: q.x, Y: q.y})
		}
	}
	slices.Reverse(front)
	return front
}
