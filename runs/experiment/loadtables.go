package experiment

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// assignment is one key of Settings as the file sets it.
type assignment struct {
	path   string          // in the file: "masking.lambda_eps" or "datasets.snli.masking.lambda_eps"
	values []reflect.Value // one, or the values of a sweep axis
	swept  bool
}

// assignments reads the tables of Settings found in tree; prefix is "" or "datasets.NAME.". The
// result is by schema path.
func (l *loader) assignments(tree map[string]any, prefix string) map[string]assignment {
	out := map[string]assignment{}
	for _, table := range tables {
		v, ok := tree[table]
		if !ok {
			continue
		}
		keys, ok := l.tree(prefix+table, v)
		if !ok {
			l.unread["."+table] = true
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			path := table + "." + key
			f := fieldAt(path)
			if f == nil {
				l.unknown(prefix+path, " in ["+prefix+table+"]", keysOf(table))
				continue
			}
			if values, ok := l.values(prefix+path, f, keys[key]); ok {
				_, isList := keys[key].([]any)
				out[path] = assignment{path: prefix + path, values: values, swept: isList && f.sweepable()}
			} else {
				l.unread[path] = true
			}
		}
	}
	return out
}

// values converts what the file gives for a field: one value, or each value of a sweep axis.
func (l *loader) values(path string, f *field, v any) ([]reflect.Value, bool) {
	list, isList := v.([]any)
	if !isList || !f.sweepable() {
		value, wrong := convertValue(v, f.typ)
		switch {
		case wrong != "" && isList && f.typ.Kind() != reflect.Slice:
			l.bad(path, "%s is a list, but settings of [%s] cannot be swept: give one value", path, f.table)
			return nil, false
		case wrong != "":
			l.bad(path, "%s %s", path, wrong)
			return nil, false
		}
		return []reflect.Value{value}, true
	}
	if len(list) == 0 {
		l.bad(path, "%s is an empty list: give the values to sweep over, or one value", path)
		return nil, false
	}
	var out []reflect.Value
	for i, item := range list {
		value, wrong := convertValue(item, f.typ)
		switch {
		case wrong != "":
			l.bad(path, "%s has a value (number %d) that %s", path, i+1, wrong)
		case slices.ContainsFunc(out, func(o reflect.Value) bool { return o.Equal(value) }):
			l.bad(path, "%s lists %s twice: name each value once", path, formatValue(value))
		default:
			out = append(out, value)
		}
	}
	return out, len(out) == len(list)
}

// settle fills a variant's base settings and axes: the profile's values, overlaid with the
// assignments, of which later ones win. It returns where the file sets a schema path.
func (l *loader) settle(v *variant, profile, dataset string, from ...map[string]assignment) map[string]string {
	v.base = profileSettings(profile)
	where := map[string]string{} // schema path -> path in the file
	all := map[string]assignment{}
	for _, assignments := range from {
		for path, a := range assignments {
			all[path], where[path] = a, a.path
		}
	}
	for path, a := range all {
		fieldAt(path).of(&v.base).Set(a.values[0])
	}
	for _, path := range l.axisOrder(dataset, v.name, all) {
		v.axes = append(v.axes, axis{path: path, values: all[path].values})
	}
	if _, given := all["masking.train_on"]; !given &&
		!slices.Contains(v.base.Masking.Methods, v.base.Masking.TrainOn[0]) {
		v.base.Masking.TrainOn = v.base.Masking.Methods[:min(1, len(v.base.Masking.Methods))]
	}
	l.searched(v, where)
	return where
}

// axisOrder lists the swept paths in the order in which the file first names them, for all, for
// this data set or this variant.
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
	for _, f := range schema { // keys of inline tables, should the parser not list them
		add(f.path)
	}
	return out
}
