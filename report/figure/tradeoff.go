package figure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A point is one system with one combination of settings. x and y are means over seeds. xBar and
// yBar are standard deviations.
type point struct {
	name       string
	setting    string // values of the swept settings, if the system has several points
	x, y       float64
	xBar, yBar float64
	published  bool     // set if the system is not ours
	human      bool     // set if the outputs are human references
	flaws      []string // names of the flaws: "collapsed", "left unchanged"; a point with a flaw is not ranked
}

// The method ranked reports whether the point can be on the Pareto front.
func (q *point) ranked() bool { return !q.human && len(q.flaws) == 0 }

// TradeOff plots TST% against s-BLEU, that is, style against content, with one panel per data set.
// It also draws the Pareto front. Marks are outlines, so that a mark behind another one stays
// visible. The legend explains the marks of our systems. If there is room, a text next to a mark
// gives the name of a published system, or the settings if a system of ours has several points.
// Systems without outputs in some directions are left out. The figure is nil if no record has both
// metrics.
func TradeOff(records []*report.Record) (*Figure, error) {
	f := newFigure(6.5 * vg.Centimeter)
	datasets, points, settings := tradeOffPoints(records)
	legend := &tradeOffLegend{settings: settings}
	for _, dataset := range datasets {
		title := ""
		if len(datasets) > 1 {
			title = dataset
		}
		panel := newPanel(title, "s-BLEU", "TST%")
		if err := legend.add(panel, points[dataset]); err != nil {
			return nil, err
		}
		for _, axis := range []*plot.Axis{&panel.X, &panel.Y} {
			keepPossible(axis, minPercent, 100)
		}
		f.panels = append(f.panels, panel)
	}
	if len(f.panels) == 0 {
		return nil, nil
	}
	f.columns = min(2, len(f.panels))
	legend.write(&f.legend)
	return f, nil
}

// tradeOffLegend collects what the legend must explain.
type tradeOffLegend struct {
	systems  []string // names of our systems
	marks    []legendMark
	flaws    []string
	settings []string // keys of the settings next to marks
	front    *plotter.Line
}

// legendMark is an entry of the legend: a text and the mark that it explains.
type legendMark struct {
	text string
	draw.GlyphStyle
	pale bool
}

// outlines lists the marks of our systems.
var outlines = []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}

// These are the marks of points that are not our systems.
var (
	publishedMark = draw.GlyphStyle{Color: palette.Muted, Radius: 2.8, Shape: draw.CrossGlyph{}}
	humanMark     = draw.GlyphStyle{Color: palette.Ink, Radius: 2.8, Shape: draw.PlusGlyph{}}
)

// mark returns the mark of a point, and adds the mark to the legend. If the system's outputs have a
// flaw, the mark is pale grey.
func (l *tradeOffLegend) mark(q *point) draw.GlyphStyle {
	entry := legendMark{text: q.name, pale: len(q.flaws) > 0}
	switch {
	case q.human:
		entry.text, entry.GlyphStyle = "references", humanMark
	case q.published:
		entry.text, entry.GlyphStyle = "other systems", publishedMark
	default:
		l.systems = lists.AddOnce(l.systems, q.name)
		entry.GlyphStyle = markOf(slices.Index(l.systems, q.name), outlines)
		entry.Radius = 2.8
	}
	if entry.pale {
		entry.Color = palette.Pale
		l.flaws = lists.AddOnce(l.flaws, q.flaws...)
	}
	i := slices.IndexFunc(l.marks, func(m legendMark) bool { return m.text == entry.text })
	switch {
	case i < 0:
		l.marks = append(l.marks, entry)
	case l.marks[i].pale:
		l.marks[i] = entry
	}
	return entry.GlyphStyle
}

// add draws the points of a data set and their Pareto front.
func (l *tradeOffLegend) add(panel *plot.Plot, points []point) error {
	best := frontOf(points)
	if len(best) > 1 {
		steps, err := plotter.NewLine(best)
		if err != nil {
			return err
		}
		steps.StepStyle = plotter.PreStep
		steps.LineStyle = draw.LineStyle{Color: palette.Muted, Width: thin, Dashes: dashes}
		panel.Add(steps)
		l.front = steps
	}
	beside := names{front: best}
	for _, q := range points {
		marks, err := plotter.NewScatter(plotter.XYs{{X: q.x, Y: q.y}})
		if err != nil {
			return err
		}
		marks.GlyphStyle = l.mark(&q)
		if err := addBars(panel, &q, marks); err != nil {
			return err
		}
		panel.Add(unclipped{marks})
		name := q.setting
		if q.published && !q.human {
			name = q.name
		}
		beside.points = append(beside.points, namedPoint{q, plain(name)})
	}
	panel.Add(beside)
	return nil
}

// addBars draws the error bars of a point in the colour of its mark.
func addBars(panel *plot.Plot, q *point, mark *plotter.Scatter) error {
	low, high := withinPercent(q.x, q.xBar)
	across, err := plotter.NewXErrorBars(struct {
		plotter.XYs
		plotter.XErrors
	}{mark.XYs, plotter.XErrors{{Low: low, High: high}}})
	if err != nil {
		return err
	}
	low, high = withinPercent(q.y, q.yBar)
	up, err := plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{mark.XYs, plotter.YErrors{{Low: low, High: high}}})
	if err != nil {
		return err
	}
	across.LineStyle, across.CapWidth = draw.LineStyle{Color: mark.Color, Width: thin / 2}, mark.Radius
	up.LineStyle, up.CapWidth = across.LineStyle, across.CapWidth
	if q.xBar > 0 {
		panel.Add(across)
	}
	if q.yBar > 0 {
		panel.Add(up)
	}
	return nil
}

func (l *tradeOffLegend) write(to *plot.Legend) {
	for _, m := range l.marks {
		to.Add(plain(m.text), &plotter.Scatter{GlyphStyle: m.GlyphStyle})
	}
	if len(l.flaws) > 0 {
		lead := "pale: "
		for some := range slices.Chunk(l.flaws, 2) { // a line has room for two
			to.Add(lead + strings.Join(some, ", "))
			lead = "or "
		}
	}
	if len(l.settings) > 0 {
		to.Add(plain("next to a mark: " + strings.Join(l.settings, ", ")))
	}
	if l.front != nil {
		to.Add("Pareto front", l.front)
	}
}

// names draws texts next to marks. A text is left out if every place next to its mark is beyond
// the panel or taken by another text or mark. A text is drawn over an error bar or the Pareto
// front only if no other place is free.
type names struct {
	points []namedPoint
	front  plotter.XYs
}

type namedPoint struct {
	point
	name string
}

// Plot implements plot.Plotter.
func (n names) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const away = 4
	mark := vg.Rectangle{Min: vg.Point{X: -away, Y: -away}, Max: vg.Point{X: away, Y: away}}
	place := func(q namedPoint) vg.Point { return vg.Point{X: x(q.x), Y: y(q.y)} }
	taken := lists.Map(n.points, func(q namedPoint) vg.Rectangle { return mark.Add(place(q)) })
	var lines []vg.Rectangle
	addLine := func(left, low, right, high float64) {
		from, to := vg.Point{X: x(left), Y: y(low)}, vg.Point{X: x(right), Y: y(high)}
		lines = append(lines, vg.Rectangle{Min: from, Max: to})
	}
	for _, q := range n.points {
		addLine(q.x-q.xBar, q.y, q.x+q.xBar, q.y)
		addLine(q.x, q.y-q.yBar, q.x, q.y+q.yBar)
	}
	for i := 1; i < len(n.front); i++ { // each step goes down, then to the right
		from, to := n.front[i-1], n.front[i]
		addLine(from.X, to.Y, from.X, from.Y)
		addLine(from.X, to.Y, to.X, to.Y)
	}
	const margin = 5 // a name may reach this far beyond the panel, where there is nothing else
	panel := vg.Rectangle{
		Min: c.Min.Sub(vg.Point{X: margin, Y: margin}), Max: c.Max.Add(vg.Point{X: margin, Y: margin}),
	}
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	for _, q := range n.points {
		box := style.Rectangle(q.name)
		wide, high := box.Size().X, box.Size().Y
		shifts := []vg.Point{
			{X: away + 1},
			{X: -away - 1 - wide},
			{X: -wide / 2, Y: high/2 + away},
			{X: -wide / 2, Y: -high/2 - away},
			{X: away, Y: high / 2},
			{X: -away - wide, Y: high / 2},
			{X: away, Y: -high / 2},
			{X: -away - wide, Y: -high / 2},
		}
		free := func(but []vg.Rectangle) int {
			return slices.IndexFunc(shifts, func(shift vg.Point) bool {
				stands := box.Add(place(q).Add(shift))
				return inside(stands, panel) && !overlaps(stands, but)
			})
		}
		i := free(slices.Concat(taken, lines))
		if i < 0 {
			i = free(taken)
		}
		if i >= 0 {
			at := place(q).Add(shifts[i])
			c.FillText(style, at, q.name)
			taken = append(taken, box.Add(at))
		}
	}
}

func inside(box, panel vg.Rectangle) bool {
	return box.Min.X >= panel.Min.X && box.Max.X <= panel.Max.X && box.Min.Y >= panel.Min.Y && box.Max.Y <= panel.Max.Y
}

func overlaps(box vg.Rectangle, taken []vg.Rectangle) bool {
	return slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
		return box.Min.X < t.Max.X && t.Min.X < box.Max.X && box.Min.Y < t.Max.Y && t.Min.Y < box.Max.Y
	})
}

// tradeOffPoints makes points from the records that have s-BLEU and TST%. It returns the data sets,
// the points of each data set, and the keys of the settings in which a system's points differ.
func tradeOffPoints(records []*report.Record) (datasets []string, points map[string][]point, settings []string) {
	both := lists.Filter(records, func(r *report.Record) bool {
		_, across := r.Values["s_bleu"]
		_, up := r.Values["tst"]
		return r.From == report.FromSystems && !r.Partial && across && up
	})
	points = map[string][]point{}
	for _, seeds := range report.Over(report.Seed, both) {
		first := seeds[0]
		dataset := first.Dataset()
		datasets = lists.AddOnce(datasets, dataset)
		q := pointOf(seeds)
		differ := report.Differing(lists.Filter(both, func(r *report.Record) bool {
			return r.Dataset() == dataset && r.SystemName() == q.name
		}), report.Seed)
		settings = lists.AddOnce(settings, differ...)
		q.setting = strings.Join(lists.Map(differ, first.Axis), ", ")
		points[dataset] = append(points[dataset], q)
	}
	return datasets, points, settings
}

// pointOf returns one point for records that differ only in the seed.
func pointOf(seeds []*report.Record) point {
	q := point{
		name: seeds[0].SystemName(), published: seeds[0].Kind != report.Ours, human: seeds[0].Kind == report.People,
		flaws: lists.Map(report.FlawsOf(seeds...), func(f *metrics.Flaw) string { return f.Name }),
	}
	q.x, q.xBar = overSeeds(seeds, func(r *report.Record) float64 { return r.Values["s_bleu"] })
	q.y, q.yBar = overSeeds(seeds, func(r *report.Record) float64 { return r.Values["tst"] })
	return q
}

// frontOf returns the Pareto front, sorted by rising x. A ranked point is on the front unless
// another ranked point is at least as high in both x and y.
func frontOf(points []point) plotter.XYs {
	order := lists.Filter(points, func(q point) bool { return q.ranked() })
	slices.SortStableFunc(order, func(a, b point) int { return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(b.y, a.y)) })
	var front plotter.XYs
	for _, q := range order { // by falling x: a point on the front is higher than all before it
		if len(front) == 0 || q.y > front[len(front)-1].Y {
			front = append(front, plotter.XY{X: q.x, Y: q.y})
		}
	}
	slices.Reverse(front)
	return front
}
