// Package report makes tables from the results of a study, and heat maps from single sentences. A
// Record is one result. A Spec says which records a table shows and how. specs.go lists all tables
// of a study, and columns.go lists all columns. Package table renders tables, package paper adds
// the paper's values, and package figure draws records. Package report does not read files or run
// models.
package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// An Axis is one coordinate of a record, such as its data set, the value of a swept setting, or its
// seed.
type Axis = recipe.Axis

// These are the keys of the axes that every study has. The axis of a swept setting has the
// setting's key.
const (
	Dataset = "dataset"
	System  = "system"
	Seed    = "seed"
)

// Kind says whose outputs a record measures. Tables list records by kind, in this order.
type Kind int

// The kinds.
const (
	Ours Kind = iota
	Published
	People // human rewrites; tables show them, but do not rank them
)

// Record is one result of a study: what was measured, with which settings, and the values.
type Record struct {
	From   string            // what was measured: one of the constants below
	Axes   []Axis            // data set, system, swept settings, seed
	Values metrics.Values    // numbers by column key
	Text   map[string]string // texts by column key

	// These three fields are set only for outputs of a system.
	Scores  *metrics.Scores // with directions, flaws, intervals and signatures
	Kind    Kind
	Partial bool // true if some directions have no outputs; tables then do not rank the record

	Paper string // name of the paper's row with this result; "" if there is none

	members []*Record // if the record is a mean: the records that were averaged
}

// These values of Record.From say what a record measures.
const (
	FromSystems    = "system"    // test outputs of a system
	FromSelection  = "selection" // dev outputs of a system
	FromMasks      = "mask"
	FromTuning     = "tuning" // settings that were tried on dev sentences
	FromClassifier = "classifier"
	FromDivLSTM    = "divlstm"
	FromDatasets   = "dataset"
	FromExamples   = "example" // single sentences, which have their own type, Example
)

// NewRecord returns a record for one data set and one seed. The record does not have values yet.
func NewRecord(from, dataset string, seed uint64, axes ...Axis) *Record {
	r := &Record{From: from, Values: metrics.Values{}, Text: map[string]string{}}
	r.Axes = append([]Axis{{Key: Dataset, Value: dataset}}, axes...)
	r.Axes = append(r.Axes, SeedAxis(seed))
	return r
}

// SeedAxis returns a seed as an axis.
func SeedAxis(seed uint64) Axis { return Axis{Key: Seed, Value: strconv.FormatUint(seed, 10)} }

// Axis returns the record's value on an axis, or "" if it has none.
func (r *Record) Axis(key string) string { return recipe.AxisValue(r.Axes, key) }

// Dataset returns the name of the record's data set.
func (r *Record) Dataset() string { return r.Axis(Dataset) }

// System returns the name of the record's system, without settings.
func (r *Record) System() string { return r.Axis(System) }

// Settings returns the axes that distinguish the records of one system on one data set: swept
// settings and, if the record has one, the seed.
func (r *Record) Settings() []Axis {
	return lists.Filter(r.Axes, func(a Axis) bool { return a.Key != Dataset && a.Key != System })
}

// Name returns the record's name within its data set, as all tables, messages and commands use it.
// The name consists of the system and its settings: "SMLM (guided, lambda_eps 0.5, seed 2)".
// Settings with the keys in the parameter "but" are left out.
func (r *Record) Name(but ...string) string {
	return nameOf(r.System(), lists.Filter(r.Settings(), func(a Axis) bool { return !slices.Contains(but, a.Key) }))
}

// SystemName returns the record's name with only those settings that are part of a system's name,
// such as the decoding: "SMLM (guided)".
func (r *Record) SystemName() string {
	return nameOf(r.System(), lists.Filter(r.Settings(), Axis.NamesSystem))
}

// nameOf returns a system's name with settings, first those that name the system in short tables.
func nameOf(system string, settings []Axis) string {
	others := lists.Filter(settings, func(a Axis) bool { return !a.NamesSystem() })
	words := lists.Map(append(lists.Filter(settings, Axis.NamesSystem), others...), func(a Axis) string {
		if a.NamesSystem() {
			return recipe.Answer(a.Value)
		}
		return a.Text()
	})
	if len(words) == 0 {
		return system
	}
	if named, has := strings.CutSuffix(system, ")"); has { // the function short has made it: "SMLM (guided)"
		return named + ", " + strings.Join(words, ", ") + ")"
	}
	return system + " (" + strings.Join(words, ", ") + ")"
}

// The method with returns a copy of the record with another value on an axis.
func (r *Record) with(key, value string) *Record {
	out := *r
	out.Axes = slices.Clone(r.Axes)
	for i := range out.Axes {
		if out.Axes[i].Key == key {
			out.Axes[i].Value = value
		}
	}
	return &out
}

// The method all returns the record itself or, if the record is a mean, the records that were
// averaged.
func (r *Record) all() []*Record {
	if r.members != nil {
		return r.members
	}
	return []*Record{r}
}

// flaws returns the flaws of the record's outputs. If the record is a mean over seeds, these are
// the flaws of all its seeds.
func (r *Record) flaws() []*metrics.Flaw { return FlawsOf(r.all()...) }

// withoutSeed returns a string that identifies the record's data set, system and settings. Records
// that differ only in the seed or the direction have the same string.
func (r *Record) withoutSeed() string {
	return r.Dataset() + "|" + strconv.Itoa(int(r.Kind)) + "|" + r.Name(Seed)
}

// Over returns groups of records that differ only on the axis with the given key. Groups are in
// order of first appearance.
func Over(key string, records []*Record) (groups [][]*Record) {
	places := map[string]int{}
	for _, r := range records {
		others := lists.Filter(r.Axes, func(a Axis) bool { return a.Key != key })
		id := r.From + "|" + strings.Join(recipe.AxisWords(others), "|") + "|" + strconv.Itoa(int(r.Kind))
		place, known := places[id]
		if !known {
			place = len(groups)
			places[id], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], r)
	}
	return groups
}

// meanOver groups records that differ only on one axis, and returns a mean for each group. Records
// that lack a value do not count in the mean of this value.
func meanOver(key string, records []*Record) (means []*Record) {
	for _, group := range Over(key, records) {
		mean := *group[0]
		mean.members = group
		mean.Axes = lists.Filter(mean.Axes, func(a Axis) bool { return a.Key != key })
		mean.Values = metrics.Values{}
		for _, r := range group {
			mean.Partial = mean.Partial || r.Partial
			for column := range r.Values {
				mean.Values[column], _ = SeedStats(valuesOf(group, column))
			}
		}
		means = append(means, &mean)
	}
	return means
}

// valuesOf returns the values of a column. Records without a value are left out.
func valuesOf(records []*Record, column string) (values []float64) {
	for _, r := range records {
		if v, known := r.Values[column]; known {
			values = append(values, v)
		}
	}
	return values
}

// SeedStats returns the mean over seeds and the sample standard deviation, sqrt(sum (x - mean)^2 /
// (n - 1)). With one value, the deviation is NaN, because one seed says nothing about others.
// Without values, the mean is NaN too.
func SeedStats(values []float64) (mean, deviation float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1))
}

// Differing returns the keys of the axes on which the records differ, in order of first appearance,
// except the keys in but. A record that lacks an axis differs from the records that have it.
func Differing(records []*Record, but ...string) []string {
	return lists.Filter(axisKeys(records), func(key string) bool {
		return !slices.Contains(but, key) && slices.ContainsFunc(records, func(r *Record) bool {
			return r.Axis(key) != records[0].Axis(key)
		})
	})
}

// axisKeys returns the keys of all axes of the records, in order of first appearance.
func axisKeys(records []*Record) (keys []string) {
	for _, r := range records {
		keys = lists.AddOnce(keys, lists.Map(r.Axes, func(a Axis) string { return a.Key })...)
	}
	return keys
}

// WithSeeds adds the number of seeds to a name: "SMLM (guided, 3 seeds)".
func WithSeeds(name string, seeds int) string {
	of := wording.Count(seeds, "seed")
	if settings, has := strings.CutSuffix(name, ")"); has {
		return settings + ", " + of + ")"
	}
	return name + " (" + of + ")"
}
