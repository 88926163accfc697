package figure

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// TestFrontOf checks that human references and systems with a flaw have no influence on the Pareto
// front.
func TestFrontOf(t *testing.T) {
	at := func(x, y float64) point { return point{x: x, y: y} }
	flawed, human := at(9, 9), at(8, 8)
	flawed.flaws, human.human = []string{"collapsed"}, true
	for _, c := range []struct {
		points []point
		want   plotter.XYs
	}{
		{nil, nil},
		{[]point{at(1, 1)}, plotter.XYs{{X: 1, Y: 1}}},
		{[]point{at(3, 1), at(1, 1), at(1, 3)}, plotter.XYs{{X: 1, Y: 3}, {X: 3, Y: 1}}},
		{[]point{at(2, 2), at(2, 1), at(1, 2), flawed, human}, plotter.XYs{{X: 2, Y: 2}}},
	} {
		if got := frontOf(c.points); !slices.Equal(got, c.want) {
			t.Errorf("frontOf(%v) = %v, want %v", c.points, got, c.want)
		}
	}
}

// TestFrontDefinition checks that the Pareto front consists of the points that no other point
// dominates. Equal points appear once, and x rises.
func TestFrontDefinition(t *testing.T) {
	coordinate := rapid.Map(
		rapid.IntRange(0, 8), func(i int) float64 { return float64(i) },
	) // few values, so that many are equal
	some := rapid.Custom(func(t *rapid.T) point {
		return point{x: coordinate.Draw(t, "x"), y: coordinate.Draw(t, "y")}
	})
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(some, 0, 30).Draw(t, "points")
		var want plotter.XYs
		for _, p := range points {
			dominated := slices.ContainsFunc(
				points, func(q point) bool { return q.x >= p.x && q.y >= p.y && (q.x > p.x || q.y > p.y) },
			)
			if at := (plotter.XY{X: p.x, Y: p.y}); !dominated && !slices.Contains(want, at) {
				want = append(want, at)
			}
		}
		slices.SortFunc(want, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		if got := frontOf(points); !slices.Equal(got, want) {
			t.Fatalf("front %v, want %v", got, want)
		}
	})
}

// TestTradeOffPoints checks which records form a point. Records with different decodings belong to
// different systems. Records that differ in another setting are different points of one system.
// Records that differ only in the seed form one point, with their mean and standard deviation.
// There is no point for systems without outputs in some directions, nor for records of other
// tables.
func TestTradeOffPoints(t *testing.T) {
	at := func(decoding, eps, seed string, tst float64) *report.Record {
		return system("SMLM", tst, 50, "lambda_eps", eps, "decoding", decoding, report.Seed, seed)
	}
	copier, partial, dev := at("copied", "2", "1", 60), at("copied", "3", "1", 90), at("copied", "4", "1", 90)
	copier.Values["s_bleu"], partial.Partial, dev.From = 100, true, report.FromSelection
	copier.Scores.Directions = []metrics.Direction{{N: 44, Metrics: metrics.Values{"unchanged_share": 1}}}
	datasets, points, settings := tradeOffPoints([]*report.Record{
		at("copied", "0.5", "1", 60), at("guided", "0.5", "1", 80), at("copied", "0.5", "2", 64), at("copied", "1", "1", 70),
		copier, partial, dev,
	})
	if !slices.Equal(datasets, []string{"market"}) {
		t.Errorf("data sets %q", datasets)
	}
	var names []string
	for _, q := range points["market"] {
		names = append(names, q.name)
	}
	want := []string{"SMLM (copied)", "SMLM (guided)", "SMLM (copied)", "SMLM (copied)"}
	if !slices.Equal(names, want) {
		t.Fatalf("points %q, want %q", names, want)
	}
	if q := points["market"]; !slices.Equal(settings, []string{"lambda_eps"}) || q[0].setting != "0.5" || q[1].setting != "" {
		t.Errorf("settings %q, of the first two points %q and %q", settings, q[0].setting, q[1].setting)
	}
	if q := points["market"][0]; q.y != 62 || math.Abs(q.yBar-2*math.Sqrt2) > 1e-12 || q.xBar != 0 {
		t.Errorf("the point of two seeds is %+v", q)
	}
	if q := points["market"][3]; !slices.Equal(q.flaws, []string{"left unchanged"}) || q.x != 100 || q.ranked() {
		t.Errorf("the point of a system that copies is %+v", q)
	}
	if f, err := TradeOff(nil); f != nil || err != nil {
		t.Errorf("no records give the figure %v, error %v", f, err)
	}
}

// drawn returns the marks of a figure's only panel as SVG paths, by colour. The range of both axes
// is 0 to 100.
func drawn(t *testing.T, systems ...*report.Record) map[string][]string {
	t.Helper()
	f, err := TradeOff(systems)
	if err != nil {
		t.Fatal(err)
	}
	f.legend = plot.NewLegend()
	for _, axis := range []*plot.Axis{&f.panels[0].X, &f.panels[0].Y} {
		axis.Min, axis.Max = 0, 100
	}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, path := range regexp.MustCompile(`<path d="([^"]*)"\s+style="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
		for _, colour := range []string{"#0072B2", "#E69F00"} {
			if strings.Contains(path[2], colour) {
				found[colour] = append(found[colour], path[1]+" "+path[2])
			}
		}
	}
	return found
}

// TestMarksStay checks that marks stay at their positions even if they are close to each other or
// in a corner of the panel. Marks must be outlines without a filling, so that marks behind them
// stay visible.
func TestMarksStay(t *testing.T) {
	for _, at := range []struct{ x, y float64 }{{50, 60}, {50.5, 60}, {100, 100}, {0, 100}} {
		marks := drawn(t, system("SMLM", 60, 50), system("SMLM-G", at.y, at.x))
		far := drawn(t, system("SMLM", 10, 10), system("SMLM-G", at.y, at.x))
		if got, want := marks["#E69F00"], far["#E69F00"]; len(got) != 1 || !slices.Equal(got, want) {
			t.Errorf("a mark at (%v, %v) is drawn as %q, alone as %q", at.x, at.y, got, want)
		}
		for _, path := range slices.Concat(marks["#E69F00"], marks["#0072B2"]) {
			if !strings.Contains(path, "fill:none") {
				t.Errorf("a mark is filled: %s", path)
			}
		}
	}
}

// TestTradeOffLegend checks that the legend has one mark per system. The mark in the legend is pale
// only if the system's outputs have a flaw at every point.
func TestTradeOffLegend(t *testing.T) {
	l := &tradeOffLegend{}
	for _, q := range []point{
		{name: "A", flaws: []string{"collapsed"}}, {name: "B", flaws: []string{"collapsed"}}, {name: "A"}, {name: "C"},
	} {
		l.mark(&q)
	}
	var names []string
	for _, m := range l.marks {
		names = append(names, m.text)
		if pale := m.Color == palette.Pale; pale != (m.text == "B") {
			t.Errorf("the mark of %s is pale: %v", m.text, pale)
		}
	}
	if want := []string{"A", "B", "C"}; !slices.Equal(names, want) {
		t.Errorf("entries %q, want %q", names, want)
	}
	l.flaws = []string{"TST% below 20", "left unchanged", "shortened", "collapsed"}
	f := newFigure(4 * vg.Centimeter)
	f.panels = []*plot.Plot{newPanel("", "s-BLEU", "TST%")}
	l.write(&f.legend)
	var svg strings.Builder
	if err := f.Write(&svg, "svg"); err != nil || !strings.Contains(svg.String(), ">or shortened, collapsed<") {
		t.Errorf("a flaw is cut: %v", err)
	}
}
