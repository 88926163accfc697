package experiment

import (
	"reflect"
	"slices"
	"strings"
)

// Profiles are the sets of values for all keys: "paper" has the formulas as printed but for three
// values (docs/settings.md), "authors" the published code with each quirk that is a switch here.
var Profiles = []string{"paper", "authors"}

// DefaultSettings returns the paper's values, or those of the authors' code where the paper is
// silent, or our own where neither has one; docs/settings.md says which are whose.
func DefaultSettings() Settings { return profileSettings("paper") }

// profileSettings returns the settings of a profile. That of the authors has every switch as the
// published code has it. That code does not say how SMLM-G is trained. The number of epochs and the
// size of batches are ours too.
func profileSettings(profile string) (s Settings) {
	for _, f := range schema {
		f.of(&s).Set(f.standard(profile))
	}
	return s
}

// standard is the field's value in a profile.
func (f *field) standard(profile string) reflect.Value {
	if profile == "authors" {
		return f.authors
	}
	return f.paper
}

// Difference is a key that a point has otherwise than the experiment's profile.
type Difference struct {
	Table, Key string
	Value      string // the point's
	Place      int    // of the key in the schema

	field    *field
	standard reflect.Value // the profile's value
}

// Differences lists the keys of a point that the file, or the data set's own tables, set otherwise
// than the experiment's profile has them, in the order of the schema. Left out is what rows say
// themselves: swept keys, those that the point's variant sets, and lists that choose what is made
// and shown.
func (e *Experiment) Differences(p *Point) []Difference {
	set := e.Datasets[slices.IndexFunc(e.Datasets, func(d *Dataset) bool { return d.Name == p.Dataset })]
	v := set.variants[slices.IndexFunc(set.variants, func(v *variant) bool { return v.name == p.Variant })]
	var out []Difference
	for i, f := range schema {
		switch value := f.of(&p.Settings); {
		case !set.sets[f.path] && f.path != "masking.train_on", v.sets[f.path], chooses(f, value):
		case slices.ContainsFunc(v.axes, func(a axis) bool { return a.path == f.path && len(a.values) > 1 }):
		case !reflect.DeepEqual(value.Interface(), f.standard(e.Profile).Interface()):
			out = append(out, Difference{
				Table: f.table, Key: f.key, Value: strings.Trim(formatValue(value), "[]"), Place: i,
				field: f, standard: f.standard(e.Profile),
			})
		}
	}
	return out
}

// chooses tells keys that say what is made and shown, not how: of several masks or outputs each row
// says which it is of.
func chooses(f *field, value reflect.Value) bool {
	switch f.path {
	case "classifier.models", "masking.methods", "smlm.models":
		return true
	case "masking.train_on", "smlm.decoding":
		return value.Len() != 1
	}
	return f.table == "metrics" || f.table == "report"
}

// Undone returns settings with the key as the profile has it.
func (d *Difference) Undone(s Settings) Settings {
	d.field.of(&s).Set(d.standard)
	return s
}
