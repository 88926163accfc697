package figure

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// epsLine is one line of the figure. It shows a data set, or one method or setting on a data set.
type epsLine struct {
	name        string
	ours, paper epsValues
}

// epsValues holds percentages that were measured on the masked test sentences, one for each
// lambda_eps.
type epsValues struct {
	sbleu    values // character-level s-BLEU of the masked sentences with their sources
	accuracy values // accuracy of the evaluation classifier
}

// LambdaEps draws the paper's figure "Effect of lambda_epsilon on the resultant style-masked
// sentences". It plots two percentages against lambda_eps: the character-level s-BLEU of the masked
// test sentences (top), and the accuracy of the evaluation classifier on them (bottom). The paper's
// curve has the colour of our curve, but dashes and open marks; its values come from the authors'
// notebook. The figure is nil if no line has two points.
func LambdaEps(records []*report.Record) (*Figure, error) {
	lines := epsLines(records)
	if !slices.ContainsFunc(lines, func(l epsLine) bool { return len(l.ours.sbleu) > 1 }) {
		return nil, nil
	}
	f := newFigure(4 * vg.Centimeter)
	sbleu, accuracy := newPanel("", "", "character s-BLEU, %"), newPanel("", "lambda_eps", "classifier accuracy, %")
	f.panels = []*plot.Plot{sbleu, accuracy}
	for i, line := range lines {
		dashed := solid(i)
		dashed.Dashes = dashes
		if len(line.paper.sbleu) > 0 {
			if _, err := addLine(sbleu, line.paper.sbleu, dashed, markOf(i, open)); err != nil {
				return nil, err
			}
			shown, err := addLine(accuracy, line.paper.accuracy, dashed, markOf(i, open))
			if err != nil {
				return nil, err
			}
			f.legend.Add(plain(line.name+", the paper"), shown...)
			f.ShowsPaper = true
		}
		if _, err := addLine(sbleu, line.ours.sbleu, solid(i), markOf(i, filled)); err != nil {
			return nil, err
		}
		shown, err := addLine(accuracy, line.ours.accuracy, solid(i), markOf(i, filled))
		if err != nil {
			return nil, err
		}
		f.legend.Add(plain(line.name), shown...)
	}
	for _, panel := range f.panels {
		keepPossible(&panel.Y, minPercent, 100)
		markValues(&panel.X, lines)
	}
	return f, nil
}

// besideShare is the smallest distance between two labels side by side, as a share of the axis.
const besideShare = 0.09

// markValues writes numbers at the axis: every lambda_eps of our points, and those of the paper's
// points that are not too close to another number. If two of our numbers are too close to each
// other, the second is one line lower.
func markValues(axis *plot.Axis, lines []epsLine) {
	var ours, papers []float64
	for _, line := range lines {
		ours = lists.AddOnce(ours, lists.Map(line.ours.sbleu, func(v value) float64 { return v.x })...)
		papers = lists.AddOnce(papers, lists.Map(line.paper.sbleu, func(v value) float64 { return v.x })...)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < besideShare*(axis.Max-axis.Min) }
	shown := slices.Clone(ours)
	for _, eps := range papers {
		if !slices.ContainsFunc(shown, func(other float64) bool { return near(eps, other) }) {
			shown = append(shown, eps)
		}
	}
	slices.Sort(shown)
	var ticks plot.ConstantTicks
	for i, eps := range shown {
		label := table.Short(eps)
		if i > 0 && near(eps, shown[i-1]) && !strings.HasPrefix(ticks[i-1].Label, "\n") {
			label = "\n" + label
		}
		ticks = append(ticks, plot.Tick{Value: eps, Label: label})
	}
	axis.Tick.Marker = ticks
}

// epsMethods are the methods whose masks depend on lambda_eps.
var epsMethods = []policy.Method{policy.ExplainableAttention, policy.VanillaAttention, policy.AttentionXInput}

// epsLines returns one line per data set, method and combination of other swept settings. If there
// are several seeds, each value is the mean over the seeds, and the error bar is the standard
// deviation. If there is one seed, the error bar is a 95 % interval over the test sentences.
func epsLines(records []*report.Record) []epsLine {
	masks := lists.Filter(records, func(r *report.Record) bool {
		_, err := strconv.ParseFloat(r.Axis(epsKey), 64)
		return r.From == report.FromMasks && err == nil && slices.Contains(epsMethods, policy.Method(r.Axis("method")))
	})
	var lines []epsLine
	names := lists.AddOnce(nil, lists.Map(masks, func(r *report.Record) string { return epsName(r, masks) })...)
	for _, name := range names {
		of := lists.Filter(masks, func(r *report.Record) bool { return epsName(r, masks) == name })
		line := epsLine{name: name}
		curve, known := paper.Values().Curve(of[0].Dataset())
		if known && policy.Method(of[0].Axis("method")) == policy.ExplainableAttention {
			line.paper = paperValues(curve)
		}
		byEps := map[float64][]*report.Record{}
		for _, r := range of {
			eps, _ := strconv.ParseFloat(r.Axis(epsKey), 64) // cannot fail: masks has only numeric lambda_eps
			byEps[eps] = append(byEps[eps], r)
		}
		for _, eps := range slices.Sorted(maps.Keys(byEps)) {
			seeds := byEps[eps]
			at := func(key string) value {
				mean, bar := overSeeds(seeds, func(r *report.Record) float64 { return r.Values[key] })
				if len(seeds) == 1 {
					bar = halfWidth(mean, int(seeds[0].Values["sentences"]))
				}
				return value{eps, mean, bar}
			}
			line.ours.sbleu = append(line.ours.sbleu, at("char_s_bleu"))
			line.ours.accuracy = append(line.ours.accuracy, at("accuracy"))
		}
		lines = append(lines, line)
	}
	return lines
}

// epsKey is the setting on the figure's horizontal axis.
const epsKey = "lambda_eps"

// epsName returns the name of a record's line: the data set, then what distinguishes the line from
// the data set's other lines. The name leaves out lambda_con if the method determines it. Vanilla
// attention, for example, always has 0.
func epsName(r *report.Record, all []*report.Record) string {
	of := lists.Filter(all, func(o *report.Record) bool { return o.Dataset() == r.Dataset() })
	sameMethod := lists.Filter(of, func(o *report.Record) bool { return o.Axis("method") == r.Axis("method") })
	parts := []string{r.Dataset()}
	for _, key := range report.Differing(of, report.Dataset, epsKey, report.Seed, "policy") {
		value := r.Axis(key)
		switch {
		case key == "method":
			parts = append(parts, strings.ReplaceAll(value, "_", " "))
		case value != "" && (key != "lambda_con" || slices.Contains(report.Differing(sameMethod), key)):
			parts = append(parts, key+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}

func paperValues(c paper.Curve) (v epsValues) {
	for i, eps := range c.LambdaEps {
		v.sbleu = append(v.sbleu, value{x: eps, y: c.SBLEU[i]})
		v.accuracy = append(v.accuracy, value{x: eps, y: c.Accuracy[i]})
	}
	return v
}

// halfWidth returns half the width of the 95 % interval of a percentage over n sentences, by the
// normal approximation. It returns 0 if n is 0. For a mean of values between 0 and 1, such as
// sentence BLEU, the true interval is at most as wide: with mean m, the values have a variance of
// at most m (1 - m) (Bhatia and Davis 2000).
func halfWidth(percent float64, n int) float64 {
	if n == 0 {
		return 0
	}
	m := percent / 100
	return 100 * 1.96 * math.Sqrt(max(0, m*(1-m))/float64(n))
}
