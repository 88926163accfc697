package experiment

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// SearchSettings draws points from ranges and chooses one by dev outputs (search.md).
// [search.space] has one range for each key: `{log = [low, high]}`, `{uniform = [low, high]}`,
// `{int = [low, high]}` or `{choice = [value, ...]}`.
type SearchSettings struct {
	// Method is "random" (trains every point fully) or "halving" (trains all a little, then
	// continues the best).
	Method string `json:"method"`
	// Points is the number of points to draw.
	Points int `json:"points" must:"from 2 to 10000"`
	// Seed is the seed of the draw.
	Seed int `json:"seed" default:"1" must:"0 or more"`
	// Maximise is the metric to maximise, as named in the table "selection".
	Maximise string `json:"maximise"`
	// Minimise is the metric to minimise. Set either this or maximise.
	Minimise string `json:"minimise"`
	// Model is the model whose outputs are compared, if several are trained.
	Model string `json:"model"`
	// Decoding is the decoding of these outputs, if there are several.
	Decoding string `json:"decoding"`
	// Eta is the rate of halving: the best 1/eta of a rung's points get eta times the budget.
	Eta int `json:"eta" default:"3" must:"from 2 to 10"`
	// Budget is the key that halving raises from rung to rung, such as smlm.epochs.
	Budget string `json:"budget"`
	// Min is the least budget of a rung.
	Min int `json:"min" must:"from 1 to 10000"`
	// Max is the budget of the last rung.
	Max int `json:"max" must:"from 1 to 10000"`
}

// The methods of a search.
const (
	randomSearch  = "random"
	halvingSearch = "halving"
)

// SelectionMetrics are the numbers of dev outputs that may choose, as the table "selection" calls
// them.
var SelectionMetrics = []string{"TST%", "s-BLEU", "Nat.", "Mean", "PPL", "self-BLEU", "dist-2"}

// Metric is the number that chooses.
func (s *SearchSettings) Metric() string { return s.Maximise + s.Minimise }

// Search is [search]: the points that it draws, for every data set.
type Search struct {
	SearchSettings
	Rungs []Rung // in which the points run; one of a random search

	raw    map[string]any // the table as the file has it
	drawn  []drawnKey     // in the order of the schema
	points [][]float64    // as drawPoints has them, by point and by drawn key
}

// Course is how far a data set's search has come: what of its points is decided.
type Course struct {
	Survivors [][]int // by rung, from the second on: the numbers of its points, from 1, in order
	Chosen    int     // of the last rung: the point that is measured on the test set; 0: not known yet
}

// Equal says whether two courses are the same.
func (c Course) Equal(o Course) bool {
	return c.Chosen == o.Chosen && slices.EqualFunc(c.Survivors, o.Survivors, slices.Equal[[]int])
}

// Trial says which point of a search a Point is.
type Trial struct {
	Number int // of the drawn point, from 1; 0: the experiment has no search
	Rung   int // from 1
}

// trials are the points of a data set's search as far as its course is known: all points in the
// first rung, then the survivors. Only the chosen one looks at the test set.
func (e *Experiment) trials(d *Dataset) (out []Point) {
	v := d.variants[0]
	first := make([]int, e.Search.Points)
	for i := range first {
		first[i] = i + 1
	}
	last := len(e.Search.Rungs) - 1
	for rung, numbers := range append([][]int{first}, d.Course.Survivors...) {
		for _, n := range numbers {
			s, axes := v.trial(n-1, rung)
			for _, seed := range e.Seeds {
				out = append(out, Point{
					Dataset: d.Name, Settings: s, Axes: axes, Seed: seed, Trial: Trial{n, rung + 1},
					DevOnly: rung < last || n != d.Course.Chosen,
				})
			}
		}
	}
	return out
}

// trial returns the settings and axes of a point, from 0, in a rung, from 0.
func (v *variant) trial(number, rung int) (Settings, []Axis) {
	s, axes := v.base, []Axis(nil)
	for _, a := range v.axes {
		value := a.values[number]
		if a.path == v.search.Budget {
			value = reflect.ValueOf(v.search.Rungs[rung].Budget)
		}
		axes = append(axes, a.set(&s, value))
	}
	return s, axes
}

// axes are the drawn keys, each with its value at every point, and the budget with its largest.
func (s *Search) axes() (out []axis) {
	for i, k := range s.drawn {
		values := lists.Map(s.points, func(p []float64) reflect.Value { return k.value(p[i]) })
		out = append(out, axis{path: k.path, values: values})
	}
	if s.Budget != "" {
		budgets := slices.Repeat([]reflect.Value{reflect.ValueOf(s.Max)}, len(s.points))
		out = append(out, axis{path: s.Budget, values: budgets})
	}
	return out
}

// Rung is one round of a search: so many points are trained with so much of the budget.
type Rung struct {
	Points int
	Budget int // 0: there is no budget
}

// rungs lays out the rounds of the search, one of a random search. wrong is a sentence that begins
// after search.points; "": there are enough points.
func (s *SearchSettings) rungs() (rungs []Rung, wrong string) {
	if s.Method == randomSearch {
		return []Rung{{Points: s.Points}}, ""
	}
	rungs = halvingRungs(s.Points, s.Eta, s.Min, s.Max)
	least := 1
	for range rungs[1:] {
		least *= s.Eta
	}
	if s.Points < least {
		wrong = fmt.Sprintf("is %d, but the %d rungs of %s from %d to %d need at least %d: draw more, or "+
			"raise search.min",
			s.Points, len(rungs), s.Budget, rungs[0].Budget, s.Max, least)
	}
	return rungs, wrong
}

// halvingRungs lays out successive halving (Karnin et al. 2013; Jamieson and Talwalkar 2016), with
// eta as Li et al. 2018 have it: of the points of a rung the best 1/eta, rounded down, go on to the
// next, with eta times the budget. The last rung has the budget high, the first the least that is
// low or more.
func halvingRungs(points, eta, low, high int) []Rung {
	last := 0
	for power := eta; low*power <= high; power *= eta {
		last++
	}
	rungs := make([]Rung, last+1)
	for i := range rungs {
		share := math.Pow(float64(eta), float64(last-i))
		rungs[i] = Rung{Points: max(1, points), Budget: int(math.Round(float64(high) / share))}
		points /= eta
	}
	return rungs
}

// search reads [search] and draws its points. Where it is wrong there are none.
func (l *loader) search() {
	v, ok := l.raw["search"]
	if !ok {
		return
	}
	tree, ok := l.tree("search", v)
	if !ok {
		return
	}
	s := &Search{raw: tree}
	setDefaults("search", &s.SearchSettings)
	before := len(l.problems)
	l.table("search", tree, &s.SearchSettings, "space")
	s.wrong(func(key string) bool { return tree[key] != nil }, func(key, sentence string) {
		switch {
		case key == "":
			l.bad("search", "[search] %s", sentence)
		case !l.unread["search."+key]:
			l.bad("search."+key, "search.%s %s", key, sentence)
		}
	})
	if f := fieldAt(s.Budget); s.Budget != "" && (f == nil || f.typ.Kind() != reflect.Int || whyNotDrawn(f) != "") {
		l.bad("search.budget", "search.budget is %q, but must be a key that takes whole numbers and can be swept, "+
			"such as smlm.epochs", s.Budget)
	}
	l.space(s, tree["space"])
	if _, ok := l.raw["variants"]; ok {
		l.bad("variants", "[search] draws the points, so [variants] cannot be used with it: remove one of them")
	}
	if len(l.problems) > before {
		return
	}
	var wrong string
	if s.Rungs, wrong = s.rungs(); wrong != "" {
		l.bad("search.points", "search.points %s", wrong)
		return
	}
	slices.SortFunc(s.drawn, func(a, b drawnKey) int { return placeOf(a.path) - placeOf(b.path) })
	var err error
	if s.points, err = drawPoints(s.drawn, s.Points, uint64(s.Seed)); err != nil {
		l.bad("search.points", "search.points is %d, but %v: draw fewer, or widen [search.space]", s.Points, err)
		return
	}
	l.exp.Search = s
}

// wrong says which keys do not go together: the key and a sentence that begins after it. given says
// which keys are there; of one that is not known the answer is false.
func (s *SearchSettings) wrong(given func(key string) bool, tell func(key, sentence string)) {
	for _, key := range []string{"method", "points"} {
		if !given(key) {
			tell("", fmt.Sprintf("has no %s: set it", key))
		}
	}
	if given("maximise") == given("minimise") {
		tell("", fmt.Sprintf("must have either maximise or minimise: a metric of dev outputs, such as %q", "Mean"))
	}
	var lacking []string
	for _, key := range []string{"eta", "budget", "min", "max"} {
		switch {
		case s.Method == randomSearch && given(key):
			tell(key, fmt.Sprintf("is only for successive halving: remove it, or set search.method = %q", halvingSearch))
		case s.Method == halvingSearch && !given(key) && key != "eta":
			lacking = append(lacking, key)
		}
	}
	if len(lacking) > 0 {
		tell("", fmt.Sprintf("has no %s: halving needs a budget (a key such as smlm.epochs), min and max",
			strings.Join(lacking, ", ")))
	}
	if given("min") && given("max") && s.Min > s.Max {
		tell("max", fmt.Sprintf("is %d, which is less than search.min %d: give the largest budget", s.Max, s.Min))
	}
}

// drawAxes gives a data set the points of the search, if there is one. where is where the file sets
// a key.
func (l *loader) drawAxes(v *variant, where map[string]string) {
	s := l.exp.Search
	if s == nil {
		return
	}
	for _, a := range v.axes {
		l.bad(where[a.path], "%s is a list, but [search] draws the points: give one value, or search.space.%s "+
			"= {choice = [...]}", where[a.path], a.path)
	}
	v.axes, v.search = s.axes(), s
	for _, a := range v.axes {
		if at, ok := where[a.path]; ok && at != "" {
			l.bad(at, "%s is set, but [search] sets it too: remove one of them", at)
		}
		where[a.path] = "search.space." + a.path
		if a.path == s.Budget {
			where[a.path] = "search.budget"
		}
	}
	l.checkSelection(v)
}

// checkSelection refuses a search that does not say by which outputs it chooses.
func (l *loader) checkSelection(v *variant) {
	s, base := l.exp.Search, &v.base
	if slices.ContainsFunc([]string{"smlm.models", "smlm.decoding", "masking.train_on", "masking.methods"}, l.unsure) {
		return
	}
	if n := len(base.Masking.TrainOn); n != 1 {
		l.bad("search", "[search] needs one masking method to choose by, but masking.train_on has %d: name "+
			"one there", n)
	}
	model := l.selected("model", s.Model, base.SMLM.Models)
	if model == "" {
		return
	}
	decodings := lists.Map(base.Outputs(model), func(d recipe.Decoding) string { return string(d) })
	s.Model, s.Decoding = model, l.selected("decoding", s.Decoding, decodings)
}

// selected is the name that the file gives, or the only one there is; "" after a problem.
func (l *loader) selected(key, name string, of []string) string {
	switch {
	case slices.Contains(of, name):
		return name
	case name != "":
		l.bad("search."+key, "search.%s is %q, but the experiment has %s%s", key, name, wording.Choice(of),
			wording.DidYouMean(name, of))
	case len(of) == 1:
		return of[0]
	default:
		l.bad("search", "[search] has no %s: say whose outputs it compares, %s", key, wording.Choice(of))
	}
	return ""
}
