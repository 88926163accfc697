package experiment

import (
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Point is one run of the whole study: a data set, one combination of the swept values, and a seed.
type Point struct {
	Dataset  string
	Variant  string   // name of the variant; "" if the file has no [variants]
	Settings Settings // with one value for each swept key
	Axes     []Axis   // the variant, if the file has variants, followed by the swept keys in the order of the file
	Seed     uint64
}

// Axis is the value that a Point has on one axis of the sweep.
type Axis = recipe.Axis

// Points returns all Points in order: data sets, then variants, then axes (the first in the file
// varies slowest), then seeds.
func (e *Experiment) Points() []Point {
	var out []Point
	for _, d := range e.Datasets {
		for _, v := range d.variants {
			v.eachCombination(func(s Settings, axes []Axis) {
				p := Point{Dataset: d.Name, Variant: v.name, Settings: s, Axes: axes}
				for _, p.Seed = range e.Seeds {
					out = append(out, p)
				}
			})
		}
	}
	return out
}

// axis is one swept key of a data set.
type axis struct {
	path   string
	values []reflect.Value
}

// eachCombination calls f with every combination of the axes' values.
func (v *variant) eachCombination(f func(Settings, []Axis)) {
	var walk func(s Settings, axes []Axis, done int)
	walk = func(s Settings, chosen []Axis, done int) {
		if done == len(v.axes) {
			f(s, chosen)
			return
		}
		a := v.axes[done]
		for _, value := range a.values {
			fieldAt(a.path).of(&s).Set(value)
			shown := Axis{Key: axisName(a.path), Value: formatValue(value)}
			walk(s, append(slices.Clip(chosen), shown), done+1)
		}
	}
	var named []Axis
	if v.name != "" {
		named = []Axis{{Key: variantKey, Value: v.name}}
	}
	walk(v.base, named, 0)
}

// combinations returns the number of settings that the data set's variants and axes span, or
// maxPoints+1 if there are more than maxPoints.
func (d *Dataset) combinations() int {
	sum := 0
	for _, v := range d.variants {
		n := 1
		for _, a := range v.axes {
			if n *= len(a.values); n > maxPoints {
				return maxPoints + 1
			}
		}
		if sum += n; sum > maxPoints {
			return maxPoints + 1
		}
	}
	return sum
}

// Varies reports whether an axis of the sweep, given by its key, has more than one value in a data
// set.
func (e *Experiment) Varies(dataset, key string) bool {
	return slices.ContainsFunc(e.Datasets, func(d *Dataset) bool {
		return d.Name == dataset && slices.ContainsFunc(d.variants, func(v *variant) bool {
			return key == variantKey && len(d.variants) > 1 || slices.ContainsFunc(v.axes, func(a axis) bool {
				return axisName(a.path) == key && len(a.values) > 1
			})
		})
	})
}

// axisOrder lists the swept keys in the order in which the file first sets them: in a table of the
// whole file, of this data set or of this variant.
func (l *loader) axisOrder(dataset, variant string, all map[string]assignment) []string {
	var out []string
	add := func(path string) {
		if all[path].swept && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, path := range l.order {
		path = strings.TrimPrefix(path, "datasets."+dataset+".")
		add(strings.TrimPrefix(path, "variants."+variant+"."))
	}
	for _, f := range schema { // keys of inline tables, in case the parser does not list them
		add(f.path)
	}
	return out
}

// maxPoints is the largest number of Points of an experiment. A larger number is taken for a
// mistake.
const maxPoints = 10_000

// checkPoints checks the number of Points of the whole experiment.
func (l *loader) checkPoints() {
	n := 0
	for _, d := range l.exp.Datasets {
		one := d.combinations()
		if one > maxPoints {
			return // already reported
		}
		n += one * max(1, len(l.exp.Seeds))
	}
	if n > maxPoints {
		l.bad("seeds", "data sets, sweep axes and seeds span more than %d points: sweep over fewer values", maxPoints)
	}
}
