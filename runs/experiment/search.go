package experiment

import (
	"reflect"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Search is [search]: the points that it draws, for every data set.
type Search struct {
	SearchSettings
	Rungs []Rung // in which the points run; one of a random search

	raw    map[string]any // the table as the file has it
	drawn  []drawn        // in the order of the schema
	points [][]float64    // as space.Draw has them, by point and by drawn key
}

// drawn is a key that is drawn.
type drawn struct {
	searchRange
	choices []reflect.Value
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

// axes are the drawn keys, each with its value at every point, and the budget with its largest.
func (s *Search) axes() (out []axis) {
	for i, d := range s.drawn {
		values := lists.Map(s.points, func(p []float64) reflect.Value { return d.value(p[i]) })
		out = append(out, axis{path: d.Key, values: values})
	}
	if s.Budget != "" {
		budgets := slices.Repeat([]reflect.Value{reflect.ValueOf(s.Max)}, len(s.points))
		out = append(out, axis{path: s.Budget, values: budgets})
	}
	return out
}

// value is a drawn number as a setting.
func (d *drawn) value(x float64) reflect.Value {
	switch {
	case d.How == oneOf:
		return d.choices[int(x)]
	case d.Whole:
		return reflect.ValueOf(int(x))
	}
	return reflect.ValueOf(x)
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
