package experiment

import (
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
)

// Profiles are the names of the sets of defaults. "paper" has the paper's formulas and values as
// printed, with the exceptions in docs/settings.md. Fitted has values that suit the data set.
var Profiles = []string{"paper", Fitted}

// DefaultSettings returns the settings of the profile "paper": the paper's values. Where the paper
// gives no value, the profile has the value of the authors' code or our own value. docs/settings.md
// says where each value is from.
func DefaultSettings() (s Settings) {
	for _, f := range slices.Concat(schema, fixed) {
		f.of(&s).Set(f.standard)
	}
	return s
}

// Overrides lists the keys whose value in some of the points differs from the experiment's profile,
// in the order of the schema.
func (e *Experiment) Overrides(points []Point) (all []report.Override) {
	for i := range points {
		all = lists.AddOnce(all, e.overrides(&points[i])...)
	}
	slices.SortStableFunc(all, func(a, b report.Override) int {
		return placeOf(a.Table+"."+a.Key) - placeOf(b.Table+"."+b.Key)
	})
	return all
}

// overrides lists the keys whose value in the Point p differs from the experiment's profile. It
// considers only keys that the file or the data set's own tables set,
// and masking.train_on, whose default follows masking.methods. It leaves out what the rows of
// tables show anyway: swept keys, keys that the variant sets, and lists that choose what is made
// and shown.
func (e *Experiment) overrides(p *Point) (all []report.Override) {
	set := e.Datasets[slices.IndexFunc(e.Datasets, func(d *Dataset) bool { return d.Name == p.Dataset })]
	standard := set.defaults(e.Profile, p.Settings.SMLM.Pretrained != "")
	v := set.variants[slices.IndexFunc(set.variants, func(v *variant) bool { return v.name == p.Variant })]
	for _, f := range schema {
		switch value := f.of(&p.Settings); {
		case !set.sets[f.path] && f.path != "masking.train_on", v.sets[f.path], chooses(f, value):
		case slices.ContainsFunc(v.axes, func(a axis) bool { return a.path == f.path && len(a.values) > 1 }):
		case !reflect.DeepEqual(value.Interface(), f.of(&standard).Interface()):
			all = append(all, report.Override{
				Dataset: p.Dataset, Table: f.table, Key: f.key, Value: strings.Trim(formatValue(value), "[]"),
			})
		}
	}
	return all
}

// chooses reports whether a key selects what is made or shown, rather than how it is made.
// masking.train_on and smlm.decoding do so only if they list several values, because each row then
// shows its own value.
func chooses(f *field, value reflect.Value) bool {
	switch f.path {
	case "masking.methods", "smlm.models":
		return true
	case "masking.train_on", "smlm.decoding":
		return value.Len() != 1
	}
	return f.table == "metrics" || f.table == "report"
}
