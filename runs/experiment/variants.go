package experiment

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// variant is one set of settings. The values of the profile are overridden by the file, then by the
// data set, then by [variants.NAME]. A file without [variants] has a single variant without a name.
// Variants form one axis of the sweep. They can express sweeps that are not a product of axes. For
// example, each variant can change only one of several switches.
type variant struct {
	name string
	sets map[string]bool // paths ("smlm.dim") that the variant sets
	base Settings
	axes []axis
}

// variantKey is the key of the axis that the variants form.
const variantKey = "variant"

// An overlay is one table [variants.NAME] of the file.
type overlay struct {
	name        string
	assignments map[string]assignment
}

// variants reads [variants.NAME] in the order of the file. If the file has no variants, it returns
// one overlay that has no name and changes nothing.
func (l *loader) variants() []overlay {
	plain := []overlay{{}}
	v, ok := l.raw["variants"]
	if !ok {
		return plain
	}
	named, isTable := v.(map[string]any)
	if !isTable || len(named) == 0 {
		l.bad("variants", "variants is %s, but must be tables: [variants.NAME]", describeValue(v))
		return plain
	}
	var out []overlay
	for _, name := range l.inOrder("variants", named) {
		path := "variants." + name
		if !goodName.MatchString(name) || strings.Contains(name, ".") {
			l.bad(path, "the variant's name %q must be letters, digits, dashes or underscores", name)
		}
		if tree, ok := l.tree(path, named[name]); ok {
			out = append(out, l.variant(name, tree))
		}
	}
	if len(out) == 0 {
		return plain
	}
	return out
}

// variant reads one table [variants.NAME].
func (l *loader) variant(name string, tree map[string]any) overlay {
	path := "variants." + name
	o := overlay{name: name}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		switch {
		case key == "report":
			l.bad(path+".report", "[report] is for the whole experiment, not for one variant: remove it here")
		case !slices.Contains(tables, key):
			l.unknown(path+"."+key, " in ["+path+"]", tables)
		}
	}
	delete(tree, "report")
	o.assignments = l.assignments(tree, path+".")
	return o
}

// fill sets a variant's base settings and axes. It begins with the profile's values and then
// applies the given assignments. If several assignments set the same key, the last one counts. The
// result maps the path of each key that is set, such as "smlm.dim", to the key in the file that
// sets it.
func (l *loader) fill(v *variant, d *Dataset, from ...map[string]assignment) map[string]string {
	where := map[string]string{} // path ("smlm.dim") -> key in the file
	all := map[string]assignment{}
	for _, assignments := range from {
		for path, a := range assignments {
			all[path], where[path] = a, a.path
		}
	}
	folder, given := all["smlm.pretrained"]
	v.base = d.defaults(l.exp.Profile, given && folder.values[0].String() != "")
	for path, a := range all {
		fieldAt(path).of(&v.base).Set(a.values[0])
	}
	for _, path := range l.axisOrder(d.Name, v.name, all) {
		v.axes = append(v.axes, axis{path: path, values: all[path].values})
	}
	if _, given := all["masking.train_on"]; !given &&
		!slices.Contains(v.base.Masking.Methods, v.base.Masking.TrainOn[0]) {
		v.base.Masking.TrainOn = v.base.Masking.Methods[:min(1, len(v.base.Masking.Methods))]
	}
	return where
}

// valueOf returns a key's value in the form that the file has: one value, or the list of a swept
// key.
func (v *variant) valueOf(f *field) any {
	for _, a := range v.axes {
		if a.path == f.path {
			return lists.Map(a.values, reflect.Value.Interface)
		}
	}
	return f.of(&v.base).Interface()
}
