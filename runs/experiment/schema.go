package experiment

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// field is one key a user may set in a table of Settings.
type field struct {
	path  string // "smlm.dim"
	table string
	key   string
	index []int // for reflect's FieldByIndex from Settings
	typ   reflect.Type
	must  string   // which numbers it takes, a key of rules; of a list nameOne where it may not be empty
	names []string // that it takes, or its list holds; nil: any
}

// of is the field's value in some settings, which may be set.
func (f *field) of(s *Settings) reflect.Value { return reflect.ValueOf(s).Elem().FieldByIndex(f.index) }

// sweepable says whether a list in place of the value makes a sweep axis.
func (f *field) sweepable() bool {
	return f.typ.Kind() != reflect.Slice && f.table != "report" && f.table != "metrics" && f.table != "lm"
}

// gone says why keys that earlier versions accepted are refused: no line acted on them. They keep
// their default in Settings, which identities have.
var gone = map[string]string{
	"finetune.patience": "never had an effect: fine-tuning keeps its last weights, whatever the dev loss; " +
		"set finetune.epochs or finetune.max_steps",
	"decoder.dropout": "never had an effect: encoder and decoder share smlm.dropout, set that",
}

// schema lists every key of Settings in the order of the structs, embedded structs flattened.
var schema = buildSchema()

// tables lists the tables of Settings in order.
var tables = tableNames()

func buildSchema() []*field {
	var out []*field
	for _, t := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		for _, f := range reflect.VisibleFields(t.Type) {
			if f.Anonymous {
				continue
			}
			table, key := keyOf(t), keyOf(f)
			if gone[table+"."+key] != "" {
				continue
			}
			out = append(out, &field{
				path: table + "." + key, table: table, key: key, index: append(slices.Clone(t.Index), f.Index...),
				typ: f.Type, must: f.Tag.Get("must"), names: namesFor(table+"."+key, f.Type),
			})
		}
	}
	return out
}

// namesFor returns the names that a field takes: those of its type, or of a list of plain strings.
func namesFor(path string, t reflect.Type) []string {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if c, ok := reflect.Zero(t).Interface().(interface{ Choices() []string }); ok {
		return c.Choices()
	}
	return map[string][]string{
		"classifier.models": Classifiers, "smlm.models": Models, "report.tables": Tables, "report.figures": Figures,
		"metrics.judges": Judges,
	}[path]
}

// keyOf returns what a file calls a field: its toml tag, or its name in JSON where that is the
// same.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(cmp.Or(f.Tag.Get("toml"), f.Tag.Get("json")), ",")
	return key
}

func tableNames() []string {
	var out []string
	for _, f := range schema {
		out = lists.AddOnce(out, f.table)
	}
	return out
}

// fieldAt returns the field of a path, nil if there is none.
func fieldAt(path string) *field {
	for _, f := range schema {
		if f.path == path {
			return f
		}
	}
	return nil
}

// keysOf lists the keys of one table.
func keysOf(table string) []string {
	of := lists.Where(schema, func(f *field) bool { return f.table == table })
	return lists.Map(of, func(f *field) string { return f.key })
}

// tablesWith lists the tables that have the key.
func tablesWith(key string) []string {
	of := lists.Where(schema, func(f *field) bool { return f.key == key })
	return lists.Map(of, func(f *field) string { return f.table })
}

// axisName is what tables and listings call a swept key: the key alone where no other table has one
// of that name.
func axisName(path string) string {
	_, key, _ := strings.Cut(path, ".")
	if len(tablesWith(key)) == 1 {
		return key
	}
	return path
}
