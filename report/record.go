// Package report turns the results of a study into tables, and single sentences into heat maps. A
// Record is one result. A Spec says which records a table shows and how; specs.go lists all tables
// of a study, and columns.go all columns. Package table renders tables, package paper adds the
// paper's values, and package figure draws records. Nothing here reads files or runs models.
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

// Axis is one coordinate of a record, such as its data set, a swept setting or its seed.
type Axis = recipe.Axis

// The axes that a study always has. Swept settings have the names of their keys.
const (
	Dataset   = "dataset"
	System    = "system"
	Direction = "direction"
	Seed      = "seed"
)

// Kind says whose results a record has. Tables list kinds in this order.
type Kind int

// The kinds.
const (
	Ours Kind = iota
	Published
	People // rewrites by people; shown, but neither ranked nor on the Pareto front
)

// Record is one result of a study: what was measured, and where.
type Record struct {
	From   string            // what it measures, one of the constants below
	Axes   []Axis            // where it was measured: data set, system, swept settings, seed
	Values metrics.Values    // numbers by key of a column
	Text   map[string]string // words by key of a column

	// For outputs of a system:
	Scores  *metrics.Scores // their directions, flaws, intervals and signatures
	Kind    Kind
	Partial bool // the data set has directions without outputs; the record is not ranked

	Paper string // the paper's name of the same row; "" if the paper has no such row

	members []*Record // of a mean: the records that it is of
}

// What a record measures.
const (
	FromSystems    = "system"    // test outputs of a system
	FromSelection  = "selection" // dev outputs of a system
	FromMasks      = "mask"
	FromClassifier = "classifier"
	FromDivLSTM    = "divlstm"
	FromEpochs     = "epoch"
	FromDatasets   = "dataset"
	FromExamples   = "example" // single sentences; they have a type of their own, Example
)

// NewRecord returns a record of a data set and a seed, still without values.
func NewRecord(from, dataset string, seed uint64, axes ...Axis) *Record {
	r := &Record{From: from, Values: metrics.Values{}, Text: map[string]string{}}
	r.Axes = append([]Axis{{Key: Dataset, Value: dataset}}, axes...)
	r.Axes = append(r.Axes, SeedAxis(seed))
	return r
}

// SeedAxis returns a seed as an axis.
func SeedAxis(seed uint64) Axis { return Axis{Key: Seed, Value: strconv.FormatUint(seed, 10)} }

// Axis returns the value of an axis, or "" if the record does not have it.
func (r *Record) Axis(key string) string { return recipe.AxisValue(r.Axes, key) }

// Dataset returns the data set of the record.
func (r *Record) Dataset() string { return r.Axis(Dataset) }

// System returns the system of the record, without its settings.
func (r *Record) System() string { return r.Axis(System) }

// Epoch returns the epoch of a record of training, 0 for other records.
func (r *Record) Epoch() int {
	n, _ := strconv.Atoi(r.Axis("epoch"))
	return n
}

// Settings returns the axes that tell apart the records of a system on a data set: swept settings
// and, if the record has one, the seed.
func (r *Record) Settings() []Axis {
	return lists.Filter(r.Axes, func(a Axis) bool { return a.Key != Dataset && a.Key != System && a.Key != Direction })
}

// Name names the record within its data set, as all tables, messages and commands do: the system
// and its settings without those in but, "SMLM (lambda_eps 0.5, guided, seed 2)".
func (r *Record) Name(but ...string) string {
	return nameOf(r.System(), lists.Filter(r.Settings(), func(a Axis) bool { return !slices.Contains(but, a.Key) }))
}

// SystemName is Name with only the settings that distinguish systems: "SMLM (guided)". Records that
// differ in other settings are points of one system.
func (r *Record) SystemName() string {
	return nameOf(r.System(), lists.Filter(r.Settings(), Axis.NamesSystem))
}

func nameOf(system string, settings []Axis) string {
	words := lists.Map(settings, func(a Axis) string {
		if a.NamesSystem() {
			return recipe.Answer(a.Value)
		}
		return a.Text()
	})
	if len(words) == 0 {
		return system
	}
	return system + " (" + strings.Join(words, ", ") + ")"
}

// with returns a copy of the record whose axis has another value.
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

// all returns the record, or the records that it is the mean of.
func (r *Record) all() []*Record {
	if r.members != nil {
		return r.members
	}
	return []*Record{r}
}

// flaws returns the flaws of the outputs, of any seed.
func (r *Record) flaws() []*metrics.Flaw { return FlawsOf(r.all()...) }

// ranked reports whether the record may be marked as best.
func (r *Record) ranked() bool { return r.Kind != People && !r.Partial && len(r.flaws()) == 0 }

// Over groups records that differ only in one axis, in order of first appearance.
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

// meanOver returns the means of records that differ only in one axis. A value is the mean over the
// records that have it.
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

// valuesOf returns the values of a column, of the records that have one.
func valuesOf(records []*Record, column string) (values []float64) {
	for _, r := range records {
		if v, known := r.Values[column]; known {
			values = append(values, v)
		}
	}
	return values
}

// SeedStats returns the mean over seeds and the sample standard deviation, sqrt(sum (x - mean)^2 /
// (n - 1)). For one value the deviation is NaN, because one seed says nothing about others. For
// none both are NaN.
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

// Differing returns the keys of the axes in which records differ, in order of first appearance. A
// record without an axis differs from records that have it.
func Differing(records []*Record, but ...string) []string {
	return lists.Filter(axisKeys(records), func(key string) bool {
		return !slices.Contains(but, key) && slices.ContainsFunc(records, func(r *Record) bool {
			return r.Axis(key) != records[0].Axis(key)
		})
	})
}

// axisKeys returns the keys of all axes of records, in order of first appearance.
func axisKeys(records []*Record) (keys []string) {
	for _, r := range records {
		keys = lists.AddOnce(keys, lists.Map(r.Axes, func(a Axis) string { return a.Key })...)
	}
	return keys
}

// WithSeeds adds a number of seeds to a name: "SMLM (guided, 3 seeds)".
func WithSeeds(name string, seeds int) string {
	of := wording.Count(seeds, "seed")
	if settings, has := strings.CutSuffix(name, ")"); has {
		return settings + ", " + of + ")"
	}
	return name + " (" + of + ")"
}
