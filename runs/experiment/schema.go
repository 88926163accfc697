package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// A field is one key of a table that a user can set, described by the tags of a struct field (see
// Settings).
type field struct {
	path  string // such as "smlm.dim"
	table string
	key   string
	index []int // for reflect's FieldByIndex, starting at the outer struct
	typ   reflect.Type
	must  string   // describes the allowed numbers in messages; the constant aName marks a list that must not be empty
	takes bounds   // allowed values of a number; nil if the key takes no number
	names []string // allowed values of a string, or of each string in a list; nil if any value is allowed
	// standard is the value in the profile "paper".
	standard reflect.Value
}

// The method "of" returns the field's value in s, as a reflect.Value that can be set.
func (f *field) of(s *Settings) reflect.Value { return reflect.ValueOf(s).Elem().FieldByIndex(f.index) }

// sweepable reports whether the file may give a list of values for the key, which makes the key a
// sweep axis.
func (f *field) sweepable() bool {
	return f.typ.Kind() != reflect.Slice && f.table != "report" && f.table != "metrics" && f.table != "lm"
}

// schema lists every key of Settings, including those of embedded structs, in the order of the
// structs. The list fixed has the settings that a file cannot set.
var schema, fixed = buildSchema()

// tables lists the tables of Settings that have keys, in order.
var tables = slices.Compact(lists.Map(schema, func(f *field) string { return f.table }))

// buildSchema reads the tags of all tables.
func buildSchema() (schema, fixed []*field) {
	for _, t := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		keys, some := t.Tag.Lookup("keys")
		for _, f := range fieldsOf(keyOf(t), t.Type) {
			f.index = append(slices.Clone(t.Index), f.index...)
			if f.path == "report.tables" {
				f.standard = reflect.ValueOf(Tables)
			}
			if some && !slices.Contains(strings.Fields(keys), f.key) {
				fixed = append(fixed, f)
			} else {
				schema = append(schema, f)
			}
		}
	}
	return schema, fixed
}

// isFixed reports whether the path is a setting that a file cannot set.
func isFixed(path string) bool {
	return slices.ContainsFunc(fixed, func(f *field) bool { return f.path == path })
}

// fieldsOf lists the keys of a table from its struct, including those of embedded structs. It
// panics on a wrong tag.
func fieldsOf(table string, t reflect.Type) []*field {
	var out []*field
	for _, f := range reflect.VisibleFields(t) {
		key, embedded := keyOf(f), t.Field(f.Index[0]).Tag
		if f.Anonymous || key == "" {
			continue
		}
		standard := f.Tag.Get("default")
		if len(f.Index) > 1 {
			for _, own := range strings.Fields(embedded.Get("default")) {
				if name, value, _ := strings.Cut(own, "="); name == key {
					standard = value
				}
			}
		}
		path := table + "." + key
		d := &field{path: path, table: table, key: key, index: f.Index, typ: f.Type, must: f.Tag.Get("must")}
		if d.names = choices(f.Type); d.names == nil {
			d.names = names[path]
		}
		if kind := f.Type.Kind(); kind == reflect.Int || kind == reflect.Float64 {
			d.takes = boundsOf(d.must)
		}
		d.standard = parsed(path, standard, f.Type)
		out = append(out, d)
	}
	return out
}

// The function parsed parses the value of a tag "default". Lists are written as words. "" means the
// zero value.
func parsed(path, text string, t reflect.Type) reflect.Value {
	if text == "" {
		return reflect.Zero(t)
	}
	list, words := t.Kind() == reflect.Slice, []string{text}
	if list {
		words = strings.Fields(text)
	}
	if entryOf(t).Kind() == reflect.String {
		words = lists.Map(words, strconv.Quote)
	}
	text = strings.Join(words, ", ")
	if list {
		text = "[" + text + "]"
	}
	var tree map[string]any
	_, err := toml.Decode("x = "+text, &tree)
	v, wrong := convertValue(tree["x"], t)
	if err != nil || wrong != "" {
		panic(fmt.Sprintf("experiment: a tag of %s has the value %s: %v %s", path, text, err, wrong))
	}
	return v
}

// setDefaults sets the keys of a table of the whole experiment to their defaults. The parameter
// "into" is a pointer to the table's struct.
func setDefaults(table string, into any) {
	of := reflect.ValueOf(into).Elem()
	for _, f := range fieldsOf(table, of.Type()) {
		of.FieldByIndex(f.index).Set(f.standard)
	}
}

// choices returns the allowed values of a type or, if the type is a list, of its entries. nil means
// that any value is allowed.
func choices(t reflect.Type) []string {
	if c, ok := reflect.Zero(entryOf(t)).Interface().(interface{ Choices() []string }); ok {
		return c.Choices()
	}
	return nil
}

// entryOf returns the type of a list's entries, or the type itself if it is not a list.
func entryOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return t
}

// keyOf returns the key that a field has in the file.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

// fieldAt returns the field with the given path, or nil if there is none.
func fieldAt(path string) *field {
	if i := placeOf(path); i >= 0 {
		return schema[i]
	}
	return nil
}

// placeOf returns the index of a key in the schema, or -1.
func placeOf(path string) int {
	return slices.IndexFunc(schema, func(f *field) bool { return f.path == path })
}

// keysOf lists the keys of one table.
func keysOf(table string) []string {
	of := lists.Filter(schema, func(f *field) bool { return f.table == table })
	return lists.Map(of, func(f *field) string { return f.key })
}

// tablesWith lists the tables that have the key.
func tablesWith(key string) []string {
	of := lists.Filter(schema, func(f *field) bool { return f.key == key })
	return lists.Map(of, func(f *field) string { return f.table })
}

// axisName returns the name of a swept key in tables and listings: the key alone, or with its table
// if another table has the same key.
func axisName(path string) string {
	_, key, _ := strings.Cut(path, ".")
	if len(tablesWith(key)) == 1 {
		return key
	}
	return path
}

// aName is the value of the tag "must" for lists that must not be empty.
const aName = "a name"

// The constant largest is the upper bound of every number. A larger number is probably a typing
// error, and would fail only much later, for lack of memory or precision.
const largest = 100_000_000

// A function of type bounds reports whether a tag "must" allows a number.
type bounds func(x float64) bool

// boundsOf parses a tag "must". It panics on an unknown form.
func boundsOf(must string) bounds {
	var low, high float64
	is := func(form string, numbers ...any) bool {
		n, err := fmt.Sscanf(must, form, numbers...)
		return err == nil && n == len(numbers)
	}
	switch {
	case is("from %g to %g", &low, &high):
		return func(x float64) bool { return x >= low && x <= high }
	case is("at least %g and below %g", &low, &high):
		return func(x float64) bool { return x >= low && x < high }
	case is("above %g and at most %g", &low, &high):
		return func(x float64) bool { return x > low && x <= high }
	case is("above %g", &low):
		return func(x float64) bool { return x > low }
	case is("%g or %g", &low, &high):
		return func(x float64) bool { return x == low || x == high }
	case is("%g or more", &low):
		return func(x float64) bool { return x >= low }
	}
	panic(fmt.Sprintf("experiment: a tag says must:%q, of which boundsOf knows no form", must))
}

// The method wrong returns what is wrong with a field's own value, one sentence per problem.
func (f *field) wrong(v reflect.Value) []string {
	switch {
	case isAuto(v):
		return nil
	case f.path == ".seeds":
		return wrongSeeds(v.Interface().([]uint64))
	case v.Kind() == reflect.Slice && (f.names != nil || f.must != ""):
		return f.wrongNames(v)
	case v.CanInt() && !f.takes(float64(v.Int())), v.CanFloat() && !f.takes(v.Float()):
		return []string{fmt.Sprintf("is %v, but must be %s", v, f.must)}
	case v.CanInt() && v.Int() > largest, v.CanFloat() && v.Float() > largest:
		return []string{fmt.Sprintf("is %v, but must be at most %d", v, largest)}
	case v.Kind() == reflect.String && f.names != nil && !slices.Contains(f.names, v.String()):
		hint := wording.Choice(f.names) + wording.DidYouMean(v.String(), f.names)
		return []string{fmt.Sprintf("is %q, but must be %s", v, hint)}
	}
	return nil
}

// wrongNames implements wrong for a list of names. If the field does not restrict the names, each
// name must be a single word.
func (f *field) wrongNames(list reflect.Value) (sentences []string) {
	bad := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	if list.Len() == 0 && f.must == aName {
		sentences = append(sentences, needsOne(f.names))
	}
	seen := map[string]bool{}
	for i := range list.Len() {
		name := list.Index(i).String()
		if f.names == nil && (name == "" || strings.ContainsFunc(name, unicode.IsSpace)) {
			bad("contains %q, but must contain single words", name)
		} else if f.names != nil && !slices.Contains(f.names, name) {
			bad("contains %q, which is none of %s%s", name, wording.Choice(f.names), wording.DidYouMean(name, f.names))
		} else if seen[name] {
			bad("lists %q twice: name each once", name)
		}
		seen[name] = true
	}
	return sentences
}

// wrongSeeds implements wrong for the key seeds.
func wrongSeeds(seeds []uint64) (sentences []string) {
	if len(seeds) == 0 {
		sentences = append(sentences, "is an empty list, but must contain at least one number")
	}
	for i, seed := range seeds {
		if slices.Contains(seeds[:i], seed) {
			sentences = append(sentences, fmt.Sprintf("lists %d twice: name each once", seed))
		}
	}
	return sentences
}

// needsOne returns the message for an empty list of names.
func needsOne[T ~string](names []T) string {
	return "is an empty list, but must name at least one of " + wording.Choice(names)
}
