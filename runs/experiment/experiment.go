// Package experiment reads an experiment file into checked settings. Load reports errors with file,
// line and key. Experiment.Points expands the sweep axes, the variants and the seeds into points,
// each with all its settings. The structs in settings.go, and the structs that they embed, define
// the keys of the file.
package experiment

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Experiment is a checked experiment file: every key is known, every value has the right type, and
// every combination of swept values is valid. Paths are absolute here; in the file they are
// relative to its folder. The fields with tags are the keys outside tables (see Settings).
type Experiment struct {
	Path string   // absolute path of the file
	File string   // the path as the user gave it
	Set  []string // overrides from the command line (--set)

	// Name is the name of the tables' folder. Default: the file's name without its ending.
	Name string `json:"name"`
	// Seeds are the random seeds: the experiment runs with each. Append new ones at the end,
	// because the first seed also trains the selector and the models that measure.
	Seeds []uint64 `json:"seeds" default:"1" must:"0 or more"`
	// Profile is the set of defaults.
	Profile string `json:"profile" default:"paper"`
	// Workspace is the folder of finished stages and results.
	Workspace string `json:"workspace" default:"workspace"`
	// Threads is the number of threads. 0: all cores.
	Threads int `json:"threads" must:"from 0 to 4096"`
	// Devices is "auto" (the first usable CUDA device, else the CPU), "cpu", "cuda" or "cuda:N".
	Devices string `json:"devices" default:"auto"`
	// CheckpointSeconds is the number of seconds between checkpoints of a training.
	CheckpointSeconds int `json:"checkpoint_seconds" default:"300" must:"from 1 to 86400"`
	// WordNet is the folder of WordNet's database, for METEOR, or "none" to leave METEOR out.
	// Default: the usual places.
	WordNet string `json:"wordnet"`
	// Vectors is a file of word vectors, for data sets that name none. Data sets without a file
	// have no embedding metrics.
	Vectors string `json:"vectors"`

	Elsewhere bool // set if the workspace is not the one that the file names
	Datasets  []*Dataset
	Report    ReportSettings
	Slurm     SlurmSettings
	Track     TrackSettings

	only  []string // names of the data sets that the method Only kept; nil if none was removed
	place func(path string) string
}

// Place returns where a key is set, such as "mine.toml:12".
func (e *Experiment) Place(path string) string { return e.place(path) }

// NoWordNet is the value of the key "wordnet" that leaves METEOR out.
const NoWordNet = "none"

// goodName matches names that can be folder and file names on every system.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// top reads the keys outside tables into the Experiment and reports unknown keys.
func (l *loader) top() {
	e := l.exp
	setDefaults("", e)
	e.Name = strings.TrimSuffix(filepath.Base(e.Path), filepath.Ext(e.Path))
	l.table("", l.raw, e, append([]string{"datasets", "variants", "slurm", "track"}, tables...)...)
	if !goodName.MatchString(e.Name) {
		l.bad("name", "name is %q, but must be letters, digits, dots, dashes or underscores, because it names "+
			"a folder (without the key it is the file's own name)", e.Name)
	}
	if e.Workspace == "" {
		l.bad("workspace", "workspace is empty, but must name a folder")
	}
	for _, path := range []*string{&e.Workspace, &e.WordNet, &e.Vectors} {
		if path != &e.WordNet || *path != NoWordNet {
			*path = e.Absolute(*path)
		}
	}
	if _, err := machine.ParseDevice(e.Devices); err != nil || e.Devices == "" {
		l.bad("devices", "devices is %q, but must be %s", e.Devices, machine.DeviceNames)
	}
}

// TrackSettings writes training curves for TensorBoard while a study runs (trackers.md). It changes
// no result.
type TrackSettings struct {
	// TensorBoard writes event files to the folder tensorboard of the workspace, in one folder for
	// each training.
	TensorBoard bool `json:"tensorboard"`
}

// SlurmSettings sets what `run --executor slurm` asks Slurm for (slurm.md). It changes no result.
type SlurmSettings struct {
	// Options are options of sbatch, such as ["--partition=gpu", "--gres=gpu:1", "--time=8:00:00"].
	Options []string `json:"options"`
	// Setup are lines of bash that run before the program, such as ["module load cuda"].
	Setup []string `json:"setup"`
}

// section reads a table that changes no result.
func (l *loader) section(name string, into any) {
	if v, ok := l.raw[name]; ok {
		tree, _ := l.tree(name, v)
		l.table(name, tree, into)
	}
}

// Only is a filter: it keeps the data sets with the given names and removes the others. If it
// removes any, it appends the names of the kept data sets to the experiment's name, so that their
// tables get a folder of their own. Without names it keeps all data sets.
func (e *Experiment) Only(names []string) error {
	name := func(d *Dataset) string { return d.Name }
	have := lists.Map(e.Datasets, name)
	for _, name := range names {
		if !slices.Contains(have, name) {
			return userr.New(userr.BadInput, "--dataset %s is not a data set of %s: %s", name, e.File,
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

// Absolute resolves a path of the experiment file relative to the file's folder; "" stays "".
func (e *Experiment) Absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(e.Path), path)
}

// relative is the reverse of Absolute.
func (e *Experiment) relative(path string) string {
	if short, err := filepath.Rel(filepath.Dir(e.Path), path); err == nil && path != "" {
		return filepath.ToSlash(short)
	}
	return path
}
