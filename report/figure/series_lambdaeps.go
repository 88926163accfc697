package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// epsMethods are those whose threshold is lambda_eps.
var epsMethods = []policy.Method{policy.ExplainableAttention, policy.VanillaAttention, policy.AttentionXInput}

// LambdaEps draws the masked test text over lambda_eps, a line a data set and what else the sweep
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
		points[i] = EpsPoint{LambdaEps: eps, SBLEU: Of(c.SBLEU[i]), Accuracy: Of(c.Accuracy[i])}
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
