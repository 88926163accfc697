package figure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// LambdaEps is the paper's figure "Effect of lambda_epsilon on the resultant style-masked
// sentences": character-level s-BLEU of the masked sentences (top) and the accuracy of the
// classifier on them (bottom), over lambda_eps, a line a data set. The paper's curve, of which the
// values stand in its authors' notebook, is dashed, with open marks, in the colour of ours.
type LambdaEps struct {
	Series []EpsSeries
	Size   drawing.Size // a panel is 4 cm high by default
}

// EpsSeries is one data set, or one method on it.
type EpsSeries struct {
	Name   string
	Points []EpsPoint // ours, in any order; may be empty
	Paper  []EpsPoint // the paper's, in any order; may be empty
}

// EpsPoint is what was measured at one lambda_eps; nil: not known.
type EpsPoint struct {
	LambdaEps float64
	// the deviations are drawn as bars: of several seeds the standard deviation, of one what the
	// caller knows of the test sentences
	SBLEU    *Value // of the masked sentences against the sources, over characters, percent
	Accuracy *Value // of the classifier on the masked sentences, percent
}

func (f LambdaEps) sheet() (*drawing.Sheet, error) {
	at := []float64{}
	ours, paper := false, false
	for _, s := range f.Series {
		for _, q := range slices.Concat(s.Points, s.Paper) {
			for _, v := range []*Value{{Mean: q.LambdaEps}, q.SBLEU, q.Accuracy} {
				if v == nil {
					continue
				}
				what := fmt.Sprintf("the figure of lambda_eps, series %q,", s.Name)
				if err := finite(what, &v.Mean, &v.Deviation); err != nil {
					return nil, err
				}
			}
			if q.SBLEU != nil || q.Accuracy != nil {
				at = append(at, q.LambdaEps)
			}
		}
		ours, paper = ours || len(s.Points) > 0, paper || len(s.Paper) > 0
	}
	if len(at) == 0 {
		return nil, nothing("lambda_eps", "the masks of at least one data set at one lambda_eps, scored")
	}
	sbleu := f.panel(at, "character s-BLEU, %", func(q EpsPoint) *Value { return q.SBLEU })
	accuracy := f.panel(at, "classifier accuracy, %", func(q EpsPoint) *Value { return q.Accuracy })
	if meet(sbleu) || meet(accuracy) { // both alike, as they stand above each other
		drawing.Spread(sbleu.Curves)
		drawing.Spread(accuracy.Curves)
	}
	accuracy.X.Title = "lambda_eps"
	s := &drawing.Sheet{Size: f.Size, Height: 4, Columns: 1, Panels: []*drawing.Panel{sbleu, accuracy}}
	for i, series := range f.Series {
		c := epsCurve(i, len(series.Points) == 0)
		s.Legend = append(s.Legend, drawing.Entry{Text: series.Name, Line: c.Line, Mark: c.Mark})
	}
	if ours && paper {
		s.Legend = append(s.Legend,
			drawing.Entry{Text: "ours", Line: &drawing.Line{Colour: drawing.Muted}},
			drawing.Entry{
				Text: "the paper (authors’ notebook)", Line: &drawing.Line{Colour: drawing.Muted, Dashed: true},
			})
	}
	return s, nil
}

// near is how far marks are apart that lie on each other, as a share of the axis.
const near = 0.06

// meet says whether marks of two curves at one lambda_eps, or their bars, lie on each other.
func meet(p *drawing.Panel) bool {
	apart := near * (p.Y.Range.High - p.Y.Range.Low)
	seen := map[float64][]drawing.Dot{}
	for _, c := range p.Curves {
		for _, d := range c.Dots {
			for _, other := range seen[d.X] {
				if math.Abs(d.Y-other.Y) < max(apart, d.Deviation+other.Deviation) {
					return true
				}
			}
			seen[d.X] = append(seen[d.X], d)
		}
	}
	return false
}

// epsCurve is the i-th series' curve, still without points.
func epsCurve(i int, paper bool) drawing.Curve {
	return drawing.Curve{
		Line: &drawing.Line{Colour: drawing.Colour(i), Dashed: paper},
		Mark: &drawing.Mark{Colour: drawing.Colour(i), Shape: drawing.ShapeOf(i), Open: paper},
	}
}

func (f LambdaEps) panel(at []float64, title string, value func(EpsPoint) *Value) *drawing.Panel {
	panel := &drawing.Panel{Grid: true}
	x, y := drawing.EmptySpan(), drawing.EmptySpan()
	for _, v := range at {
		x.Add(Value{Mean: v})
	}
	draws := func(i int, points []EpsPoint, paper bool) {
		points = slices.Clone(points)
		slices.SortStableFunc(points, func(a, b EpsPoint) int { return cmp.Compare(a.LambdaEps, b.LambdaEps) })
		c := epsCurve(i, paper)
		for _, q := range points {
			if v := value(q); v != nil {
				y.Add(*v)
				c.Dots = append(c.Dots, drawing.Dot{X: q.LambdaEps, Y: v.Mean, Deviation: v.Deviation})
			}
		}
		panel.Curves = append(panel.Curves, c)
	}
	for i, s := range f.Series { // ours last, over the paper's
		draws(i, s.Paper, true)
	}
	for i, s := range f.Series {
		draws(i, s.Points, false)
	}
	panel.X = drawing.Axis{Range: x.Padded(0.06), Most: 6, At: at}
	panel.Y = drawing.Axis{Title: title, Range: percentages(y), Most: 6}
	return panel
}

// leastPercent is how many percentage points an axis has at least: less of a range shows noise as
// if it were an effect.
const leastPercent = 10

// percentages is an axis that fits percentages and does not leave 0 to 100.
func percentages(y drawing.Span) drawing.Span {
	if y.Empty() {
		return drawing.Span{High: 100}
	}
	if lacks := leastPercent - (y.High - y.Low); lacks > 0 {
		y = drawing.Span{Low: y.Low - lacks/2, High: y.High + lacks/2}
	}
	y = y.Padded(0.06)
	if y.Low < 0 {
		y = drawing.Span{High: min(100, y.High-y.Low)}
	}
	if y.High > 100 {
		y = drawing.Span{Low: max(0, 100-(y.High-y.Low)), High: 100}
	}
	return y
}

// epsMethods are those whose threshold is lambda_eps.
var epsMethods = []policy.Method{policy.ExplainableAttention, policy.VanillaAttention, policy.AttentionXInput}

// LambdaEpsOf is the masked test text over lambda_eps, a line a data set and what else the sweep
// varies; seeds are a mean with its deviation, and one seed has a bar of its test sentences. It is
// nil where no line would have two points.
func LambdaEpsOf(masking []report.AttributionRow) Figure {
	type line struct {
		EpsSeries
		byEps map[float64][]report.AttributionRow
	}
	rows := lists.Where(masking, func(m report.AttributionRow) bool {
		return m.LambdaEps != nil && slices.Contains(epsMethods, m.Method)
	})
	var lines []*line
	several := false
	for _, m := range rows {
		name := epsName(m, rows)
		i := slices.IndexFunc(lines, func(l *line) bool { return l.Name == name })
		if i < 0 {
			i = len(lines)
			l := &line{byEps: map[float64][]report.AttributionRow{}}
			l.Name = name
			if curve, ok := paper.Values().Curve(m.Dataset); ok && m.Method == epsMethods[0] {
				l.Paper = curvePoints(curve)
			}
			lines = append(lines, l)
		}
		lines[i].byEps[*m.LambdaEps] = append(lines[i].byEps[*m.LambdaEps], m)
		several = several || len(lines[i].byEps) > 1
	}
	if !several {
		return nil
	}
	f := LambdaEps{}
	for _, l := range lines {
		for _, eps := range slices.Sorted(maps.Keys(l.byEps)) {
			seeds := l.byEps[eps]
			l.Points = append(l.Points, EpsPoint{
				LambdaEps: eps,
				SBLEU:     spread(seeds, func(m report.AttributionRow) float64 { return m.CharBLEU }),
				Accuracy:  spread(seeds, func(m report.AttributionRow) float64 { return m.Accuracy }),
			})
		}
		f.Series = append(f.Series, l.EpsSeries)
	}
	return f
}

// epsName names a line: the data set, then what tells it from others of the data set.
func epsName(m report.AttributionRow, all []report.AttributionRow) string {
	parts := []string{m.Dataset}
	differ := func(of func(report.AttributionRow) string) bool {
		return slices.ContainsFunc(all, func(o report.AttributionRow) bool {
			return o.Dataset == m.Dataset && of(o) != of(m)
		})
	}
	if method := func(o report.AttributionRow) string { return string(o.Method) }; differ(method) {
		parts = append(parts, strings.ReplaceAll(string(m.Method), "_", " "))
	}
	// Vanilla attention has lambda_con 0, which its name says.
	if slices.ContainsFunc(all, func(o report.AttributionRow) bool {
		return o.Dataset == m.Dataset && o.Method == m.Method && o.LambdaCon != m.LambdaCon
	}) {
		parts = append(parts, fmt.Sprintf("lambda_con %g", m.LambdaCon))
	}
	for _, a := range m.Axes {
		if value := func(o report.AttributionRow) string { return recipe.AxisValue(o.Axes, a.Key) }; differ(value) {
			parts = append(parts, a.Key+" "+a.Value)
		}
	}
	return strings.Join(parts, ", ")
}

func curvePoints(c paper.Curve) []EpsPoint {
	points := make([]EpsPoint, len(c.LambdaEps))
	for i, eps := range c.LambdaEps {
		points[i] = EpsPoint{LambdaEps: eps, SBLEU: single(c.SBLEU[i]), Accuracy: single(c.Accuracy[i])}
	}
	return points
}

// spread is overSeeds, and of one seed the half width of a 95 % interval over its test sentences.
func spread(rows []report.AttributionRow, of func(report.AttributionRow) float64) *Value {
	v := overSeeds(rows, of)
	if len(rows) == 1 {
		v.Deviation = halfWidth(v.Mean, rows[0].Sentences)
	}
	return v
}

// halfWidth is that of the 95 % interval of a percentage over n sentences, by the normal
// approximation; 0 of none. Of a mean of shares, such as sentence BLEU, it is the most that it can
// be: values between 0 and 1 of mean m have a variance of at most m (1 - m) (Bhatia and Davis
// 2000).
func halfWidth(percent float64, n int) float64 {
	if n == 0 {
		return 0
	}
	m := percent / 100
	return 100 * 1.96 * math.Sqrt(max(0, m*(1-m))/float64(n))
}
