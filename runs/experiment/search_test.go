package experiment

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// searchStudy draws points for two data sets.
const searchStudy = `seeds = [1, 2]
[datasets.tiny]
dir = "data"
[datasets.other]
dir = "data"
[smlm]
models = ["smlm"]
decoding = ["copied"]
[search]
method = "halving"
points = 9
maximise = "Mean"
budget = "smlm.epochs"
min = 1
max = 9
[search.space]
smlm.lr = {log = [1e-4, 1e-2]}
masking.lambda_eps = {uniform = [0, 0.5]}
smlm.layers = {int = [1, 4]}
smlm.loss = {choice = ["all", "masked"]}
`

// TestSearchPoints: every data set has the drawn points, each with all seeds, in the first rung;
// later rungs have the survivors, and the chosen one alone is measured on the test set.
func TestSearchPoints(t *testing.T) {
	e := load(t, searchStudy)
	points := e.Points()
	if len(points) != 2*9*2 {
		t.Fatalf("%d points", len(points))
	}
	for i, p := range points {
		s := &p.Settings
		if p.Trial != (Trial{i/2%9 + 1, 1}) || !p.DevOnly || s.SMLM.Epochs != 1 {
			t.Errorf("point %d: %+v, %d epochs", i, p.Trial, s.SMLM.Epochs)
		}
		want := []Axis{
			{Key: "lambda_eps", Value: short(s.Masking.LambdaEps)},
			{Key: "smlm.lr", Value: short(s.SMLM.LR)},
			{Key: "smlm.layers", Value: short(s.SMLM.Layers)},
			{Key: "loss", Value: string(s.SMLM.Loss)},
			{Key: "smlm.epochs", Value: "1"},
		}
		if d := cmp.Diff(want, p.Axes); d != "" {
			t.Errorf("axes of point %d: %s", i, d)
		}
	}
	if d := cmp.Diff(points[:18], points[18:], cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Dataset"
	}, cmp.Ignore())); d != "" {
		t.Errorf("the data sets have other points: %s", d)
	}
	if e.Varies("other", "smlm.epochs") {
		t.Error("the budget varies in the first rung")
	}
	e.Datasets[1].Course = Course{Survivors: [][]int{{2, 5, 9}, {5}}, Chosen: 5}
	var got []string
	for _, p := range e.Points()[18:] {
		if p.Trial.Rung > 1 && p.Seed == 1 {
			got = append(got, short(p.Trial)+" "+short(p.Settings.SMLM.Epochs)+" "+short(p.DevOnly))
		}
	}
	want := []string{"{2 2} 3 true", "{5 2} 3 true", "{9 2} 3 true", "{5 3} 9 false"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("later rungs: %s", d)
	}
	for _, key := range []string{"smlm.lr", "lambda_eps", "smlm.epochs"} {
		if !e.Varies("other", key) {
			t.Errorf("%s does not vary", key)
		}
	}
	if tables := e.Report.Tables; !slices.Contains(tables, "search") || !slices.Contains(tables, "selection") {
		t.Errorf("tables %v", tables)
	}
}

func short(v any) string { return formatValue(reflect.ValueOf(v)) }

// TestSearchText: the text of an experiment with a search makes the same points.
func TestSearchText(t *testing.T) {
	e := load(t, searchStudy, "search.seed=5")
	text := e.Text()
	if strings.Contains(text, "lambda_eps = 0.15") {
		t.Error("the text sets a key that is drawn")
	}
	again := load(t, strings.ReplaceAll(text, e.relative(e.Datasets[0].Dir), "data"))
	if d := cmp.Diff(e.Points(), again.Points()); d != "" {
		t.Errorf("%s\n%s", d, text)
	}
}

// TestSearchOverride: overrides change the search as they change settings.
func TestSearchOverride(t *testing.T) {
	e := load(t, searchStudy, "search.points=27", "search.space.smlm.lr.log=[0.5, 0.6]")
	if e.Search.Points != 27 || e.Search.Rungs[0].Points != 27 {
		t.Errorf("%+v", e.Search.SearchSettings)
	}
	for _, p := range e.Points() {
		if lr := p.Settings.SMLM.LR; lr < 0.5 || lr > 0.6 {
			t.Errorf("lr %v", lr)
		}
	}
}

// TestHalving: the rungs of Li et al. 2018, table 1 (R = 81, eta = 3, the bracket s = 4), and some
// that do not come out even.
func TestHalving(t *testing.T) {
	for _, c := range []struct {
		points, eta, low, high int
		want                   []Rung
	}{
		{81, 3, 1, 81, []Rung{{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}}},
		{34, 3, 3, 81, []Rung{{34, 3}, {11, 9}, {3, 27}, {1, 81}}},
		{16, 3, 1, 15, []Rung{{16, 2}, {5, 5}, {1, 15}}},
		{5, 2, 1, 3, []Rung{{5, 2}, {2, 3}}},
		{4, 3, 2, 5, []Rung{{4, 5}}},
	} {
		if d := cmp.Diff(c.want, halvingRungs(c.points, c.eta, c.low, c.high)); d != "" {
			t.Errorf("%+v: %s", c, d)
		}
	}
}

// TestHalvingIsBounded: rungs grow in budget from low to high and shrink in points.
func TestHalvingIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points, eta := rapid.IntRange(1, 200).Draw(t, "points"), rapid.IntRange(2, 5).Draw(t, "eta")
		low := rapid.IntRange(1, 20).Draw(t, "low")
		high := low + rapid.IntRange(0, 500).Draw(t, "more")
		rungs := halvingRungs(points, eta, low, high)
		if rungs[0].Points != points || rungs[0].Budget < low || rungs[len(rungs)-1].Budget != high {
			t.Errorf("rungs %v", rungs)
		}
		for i, r := range rungs[1:] {
			if r.Points > rungs[i].Points || r.Points < 1 || r.Budget <= rungs[i].Budget {
				t.Errorf("rungs %v", rungs)
			}
		}
	})
}
