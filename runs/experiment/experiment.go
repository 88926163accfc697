package experiment

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Experiment is a checked experiment file: every key known, every value of its type, every point of
// the sweep valid. Paths are absolute; in the file they are relative to its folder.
type Experiment struct {
	Path              string   // of the file
	Set               []string // overrides of its keys
	File              string   // the path as the user gave it
	Name              string   // names the folder of its tables; default: the file's name without extension
	Seeds             []uint64
	Profile           string // "paper" or "authors"; a variant may have another
	Workspace         string
	Elsewhere         bool   // the workspace is not the one that the file names
	Threads           int    // 0 = all cores
	Devices           string // "auto", "cpu", "cuda" or "cuda:N"
	CheckpointSeconds int    // between two checkpoints of a training
	WordNet           string // folder of WordNet's database; "" = looked for in the usual places
	Vectors           string // file of word vectors of data sets that name none; "" = own ones
	Datasets          []*Dataset
	Report            ReportSettings
	Slurm             Slurm
	Track             TrackSettings
	Search            *Search // nil: the points are those of sweep axes and variants

	only  []string // the data sets that Only left
	place func(path string) string
}

// Place is where a key is set: "mine.toml:12".
func (e *Experiment) Place(path string) string { return e.place(path) }

// Dataset is one [datasets.NAME] with the settings and the sweep that apply to it: the file's,
// overlaid with the data set's own ([datasets.NAME.divlstm] and so on).
type Dataset struct {
	Name string
	DatasetSettings
	places   map[string]string // of fileKeys
	sets     map[string]bool   // schema paths that the file sets for all variants
	variants []*variant        // at least one

	Course Course // of the search; set by who decides it
}

// fileKeys are those of a data set that name files and folders, or ask for them.
var fileKeys = []string{"dir", "train_extra", "outputs", "references", "naturalness", "vectors", "votes"}

// Place is where one of the data set's keys for files is set: "mine.toml:12".
func (d *Dataset) Place(key string) string { return d.places[key] }

// variant is one set of settings: [variants.NAME] over the data set's over the file's over the
// profile's. Without [variants] there is one, without a name.
type variant struct {
	name    string
	changes []string        // what [variants.NAME] sets, "divlstm.latent = 128"
	sets    map[string]bool // the same as schema paths
	base    Settings
	axes    []axis
	search  *Search // nil: all combinations of the axes' values; else their values at its points
}

// VariantKey is the axis of the variants.
const VariantKey = "variant"

// axis is one swept key of a data set.
type axis struct {
	path   string
	values []reflect.Value
}

// set gives settings a value on the axis, and returns what listings say of it.
func (a *axis) set(s *Settings, value reflect.Value) Axis {
	fieldAt(a.path).of(s).Set(value)
	return Axis{Key: axisName(a.path), Value: formatValue(value)}
}

// Axis is the value one point has on one axis of the sweep.
type Axis = recipe.Axis

// Point is one training of everything: a data set, a combination of the swept values and a seed.
type Point struct {
	Dataset  string
	Variant  string   // "" without [variants]
	Changes  []string // what the variant sets
	Settings Settings // every scalar resolved
	Axes     []Axis   // the variant if there are any, then the swept keys in the order of the file
	Seed     uint64
	Trial    Trial
	DevOnly  bool // of a search: only its dev outputs are wanted
}

// Points returns the points in order: data sets, then variants, then axes (the first in the file
// varies slowest), then seeds. Those of a search stand rung after rung, by their numbers.
func (e *Experiment) Points() []Point {
	var out []Point
	for _, d := range e.Datasets {
		if e.Search != nil {
			out = append(out, e.trials(d)...)
			continue
		}
		for _, v := range d.variants {
			v.eachCombination(func(s Settings, axes []Axis) {
				p := Point{Dataset: d.Name, Variant: v.name, Changes: v.changes, Settings: s, Axes: axes}
				for _, p.Seed = range e.Seeds {
					out = append(out, p)
				}
			})
		}
	}
	return out
}

// Only leaves the data sets named, in the order of the file. Where that leaves some out, the name
// says so: they have tables of their own.
func (e *Experiment) Only(names []string) error {
	name := func(d *Dataset) string { return d.Name }
	have := lists.Map(e.Datasets, name)
	for _, name := range names {
		if !slices.Contains(have, name) {
			return userr.New(userr.BadInput, "--dataset %s is no data set of %s: %s", name, e.File,
				wording.Suggest(name, have, "it has "+strings.Join(have, ", ")))
		}
	}
	if len(names) == 0 {
		return nil
	}
	e.Datasets = slices.DeleteFunc(e.Datasets, func(d *Dataset) bool { return !slices.Contains(names, d.Name) })
	if len(e.Datasets) == len(have) {
		return nil
	}
	e.only = lists.Map(e.Datasets, name)
	e.Name += "-" + strings.Join(e.only, "-")
	return nil
}

// combinations is the number of settings the data set's variants and axes span, at most limit+1.
func (d *Dataset) combinations(limit int) int {
	sum := 0
	for _, v := range d.variants {
		n := 1
		if s := v.search; s != nil {
			sum += s.Points
			continue
		}
		for _, a := range v.axes {
			if n *= len(a.values); n > limit {
				return limit + 1
			}
		}
		if sum += n; sum > limit {
			return limit + 1
		}
	}
	return sum
}

// eachCombination calls f with every combination of the axes' values.
func (v *variant) eachCombination(f func(Settings, []Axis)) {
	if v.search != nil {
		for number := range v.search.Points {
			f(v.trial(number, len(v.search.Rungs)-1))
		}
		return
	}
	var walk func(s Settings, axes []Axis, done int)
	walk = func(s Settings, chosen []Axis, done int) {
		if done == len(v.axes) {
			f(s, chosen)
			return
		}
		a := v.axes[done]
		for _, value := range a.values {
			shown := a.set(&s, value)
			walk(s, append(slices.Clip(chosen), shown), done+1)
		}
	}
	var named []Axis
	if v.name != "" {
		named = []Axis{{Key: VariantKey, Value: v.name}}
	}
	walk(v.base, named, 0)
}

// absolute resolves a path of the experiment file; "" stays "".
func (e *Experiment) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(e.Path), path)
}

// Kept are the data sets that Only left, none where it left all.
func (e *Experiment) Kept() []string { return e.only }

// Varies says whether a data set's points have more than one value on an axis.
func (e *Experiment) Varies(dataset, key string) bool {
	return slices.ContainsFunc(e.Datasets, func(d *Dataset) bool {
		return d.Name == dataset && slices.ContainsFunc(d.variants, func(v *variant) bool {
			return key == VariantKey && len(d.variants) > 1 || slices.ContainsFunc(v.axes, func(a axis) bool {
				if v.search != nil && a.path == v.search.Budget && len(d.Course.Survivors) == 0 {
					return false // all points are in the first rung
				}
				return axisName(a.path) == key && len(a.values) > 1
			})
		})
	})
}
