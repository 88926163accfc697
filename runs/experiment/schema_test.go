package experiment

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestKeysOfTables checks that each name in a tag "keys" is a setting of its table.
func TestKeysOfTables(t *testing.T) {
	for _, table := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		for _, key := range strings.Fields(table.Tag.Get("keys")) {
			if key != "none" && fieldAt(keyOf(table)+"."+key) == nil {
				t.Errorf("[%s] has no setting %q", keyOf(table), key)
			}
		}
	}
}

// TestSeeds: the list of seeds is converted as a whole, and names each seed once.
func TestSeeds(t *testing.T) {
	f := fieldsOf("", reflect.TypeFor[Experiment]())[1]
	for _, c := range []struct {
		toml  any
		wrong []string
	}{
		{[]any{int64(1), int64(4), int64(0)}, nil},
		{[]any{}, []string{"is an empty list, but must contain at least one number"}},
		{[]any{int64(3), int64(0), int64(3), int64(0)}, []string{"lists 3 twice: name each once", "lists 0 twice: name each once"}},
		{int64(3), []string{"is the whole number 3, but must be a list of whole numbers such as [1, 2, 3]"}},
		{[]any{int64(1), "two"}, []string{
			`has an entry (number 2) that is the string "two", but must be a whole number`,
		}},
	} {
		v, text := convertValue(c.toml, f.typ)
		got := []string{text}
		if text == "" {
			got = f.wrong(v)
		}
		if !slices.Equal(got, c.wrong) {
			t.Errorf("%v: %q, want %q", c.toml, got, c.wrong)
		}
	}
}
