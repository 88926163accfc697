package experiment

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// An assignment is one key of Settings that the file sets.
type assignment struct {
	path   string          // path in the file: "masking.lambda_eps" or "datasets.snli.masking.lambda_eps"
	values []reflect.Value // one value, or all values of a sweep axis
	swept  bool
}

// assignments returns the settings in tree, by path ("masking.lambda_eps"). prefix is "",
// "datasets.NAME." or "variants.NAME.".
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

// values converts the value that the file gives for a field: one value, or each value of a sweep
// axis.
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

// The method table reads a table of the whole experiment into a struct that already has the
// defaults. If name is "", it reads the keys outside tables. It skips the keys in the parameter
// "other", which are read elsewhere.
func (l *loader) table(name string, tree map[string]any, into any, other ...string) {
	of := reflect.ValueOf(into).Elem()
	fields := fieldsOf(name, of.Type())
	known := lists.Map(fields, func(f *field) string { return f.key })
	where, prefix := "", ""
	if name != "" {
		where, prefix = " in ["+name+"]", name+"."
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		at := prefix + key
		i := slices.Index(known, key)
		if i < 0 {
			if !slices.Contains(other, key) {
				l.unknown(at, where, append(known, other...))
			}
			continue
		}
		f := fields[i]
		value, wrong := convertValue(tree[key], f.typ)
		sentences := []string{wrong}
		if wrong == "" {
			sentences = f.wrong(value)
			of.FieldByIndex(f.index).Set(value)
		}
		for _, sentence := range sentences {
			l.bad(at, "%s %s", at, sentence)
			l.unread[at] = true
		}
	}
}

// maxInteger is the largest whole number that JSON and RFC 8785 (IEEE doubles) represent exactly. A
// larger number would be rounded, so that different settings could have the same identity.
const maxInteger = 1 << 53

// convertValue turns a decoded TOML value into a value of type t. The second result says what is
// wrong, or is "".
func convertValue(v any, t reflect.Type) (reflect.Value, string) {
	out := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		if s, ok := v.(string); ok {
			out.SetString(s)
			return out, ""
		}
	case reflect.Bool:
		if b, ok := v.(bool); ok {
			out.SetBool(b)
			return out, ""
		}
	case reflect.Int, reflect.Int64:
		if n, ok := v.(int64); ok {
			if n > maxInteger || n < -maxInteger {
				return out, fmt.Sprintf("is %d, but must be at most 2^53", n)
			}
			out.SetInt(n)
			return out, ""
		}
	case reflect.Uint64: // only the key "seeds" has numbers of this type
		n, ok := v.(int64)
		switch {
		case ok && (n > maxInteger || n < 0):
			return out, fmt.Sprintf("is %d, but must be from 0 to 2^53", n)
		case ok:
			out.SetUint(uint64(n))
			return out, ""
		}
	case reflect.Float64:
		if v == recipe.AutoText && takesAuto(t) {
			out.SetFloat(float64(recipe.Chosen))
			return out, ""
		}
		f, ok := v.(float64)
		if n, whole := v.(int64); whole {
			f, ok = float64(n), true
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return out, fmt.Sprintf("is %v, but must be a finite number", f)
		} else if ok {
			out.SetFloat(f + 0) // -0 becomes 0
			return out, ""
		}
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			break
		}
		out.Set(reflect.MakeSlice(t, 0, len(list)))
		for i, e := range list {
			item, wrong := convertValue(e, t.Elem())
			if wrong != "" {
				return out, fmt.Sprintf("has an entry (number %d) that %s", i+1, wrong)
			}
			out.Set(reflect.Append(out, item))
		}
		return out, ""
	}
	return out, fmt.Sprintf("is %s, but must be %s", describeValue(v), wanted(t))
}

// describeValue describes a decoded TOML value for a message.
func describeValue(v any) string {
	switch x := v.(type) {
	case string:
		return "the string " + strconv.Quote(wording.Clip(x, 40))
	case int64:
		return fmt.Sprintf("the whole number %d", x)
	case float64:
		return fmt.Sprintf("the number %v", x)
	case bool:
		return strconv.FormatBool(x)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	}
	return "a date or time"
}

// The function wanted describes, for a message, the values that a key of type t accepts.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		if takesAuto(t) {
			return `a number or "auto"`
		}
		return "a number"
	}
	if t.Elem().Kind() == reflect.String {
		return "a list of strings"
	}
	return "a list of whole numbers such as [1, 2, 3]"
}

// takesAuto reports whether a key of type t may be "auto".
func takesAuto(t reflect.Type) bool { return t == reflect.TypeFor[recipe.OrAuto]() }

// isAuto reports whether a setting is "auto".
func isAuto(v reflect.Value) bool { return takesAuto(v.Type()) && v.Float() == float64(recipe.Chosen) }

// formatValue formats a setting's value for tables.
func formatValue(v reflect.Value) string {
	if isAuto(v) {
		return recipe.AutoText
	}
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		return v.String()
	}
	return fmt.Sprint(v.Interface())
}
