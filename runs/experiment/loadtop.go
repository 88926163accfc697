package experiment

import (
	"maps"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// topKeys are the keys outside any table, besides the tables of Settings.
var topKeys = []string{
	"name", "seeds", "profile", "workspace", "threads", "devices", "checkpoint_seconds", "wordnet", "vectors",
	"datasets", "variants", "slurm", "search", "track",
}

// goodName is what may become a folder or a file name everywhere.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// top reads the keys outside tables into the Experiment and refuses those that nobody knows.
func (l *loader) top() {
	e := l.exp
	e.Name = strings.TrimSuffix(filepath.Base(e.Path), filepath.Ext(e.Path))
	e.Seeds, e.Profile, e.Workspace = []uint64{1}, "paper", "workspace"
	for _, key := range slices.Sorted(maps.Keys(l.raw)) {
		if !slices.Contains(topKeys, key) && !slices.Contains(tables, key) {
			l.unknown(key, "", append(slices.Clone(topKeys), tables...))
		}
	}
	read(l, "name", &e.Name)
	if !goodName.MatchString(e.Name) {
		l.bad("name", "name is %q, but must be letters, digits, dots, dashes or underscores (it names a folder, and is "+
			"the file's own name where it is not set)", e.Name)
	}
	read(l, "profile", &e.Profile)
	l.checkProfile("profile", e.Profile)
	read(l, "workspace", &e.Workspace)
	if e.Workspace == "" {
		l.bad("workspace", "workspace is empty, but must name a folder")
	}
	e.Workspace = e.absolute(e.Workspace)
	read(l, "wordnet", &e.WordNet)
	read(l, "vectors", &e.Vectors)
	e.WordNet, e.Vectors = e.absolute(e.WordNet), e.absolute(e.Vectors)
	read(l, "threads", &e.Threads)
	if e.Threads < 0 || e.Threads > 4096 {
		l.bad("threads", "threads is %d, but must be 0 (all cores) to 4096", e.Threads)
	}
	e.CheckpointSeconds = 300
	read(l, "checkpoint_seconds", &e.CheckpointSeconds)
	if e.CheckpointSeconds < 1 || e.CheckpointSeconds > 86400 {
		l.bad("checkpoint_seconds", "checkpoint_seconds is %d, but must be from 1 to 86400 (a day)", e.CheckpointSeconds)
	}
	e.Devices = machine.Auto
	read(l, "devices", &e.Devices)
	if _, err := machine.ParseDevice(e.Devices); err != nil || e.Devices == "" {
		l.bad("devices", "devices is %q, but must be %s", e.Devices, machine.Wanted)
	}
	l.slurm()
	l.seeds()
}

func (l *loader) seeds() {
	v, ok := l.raw["seeds"]
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok {
		l.bad("seeds", "seeds is %s, but must be a list of whole numbers such as [1, 2, 3]", describeValue(v))
		return
	}
	if len(list) == 0 {
		l.bad("seeds", "seeds is an empty list, but must hold at least one seed")
	}
	l.exp.Seeds = nil
	for _, item := range list {
		n, ok := item.(int64)
		seed := uint64(max(n, 0))
		switch {
		case !ok:
			l.bad("seeds", "seeds holds %s, but must be a list of whole numbers such as [1, 2, 3]", describeValue(item))
		case n < 0 || n > MaxInteger:
			l.bad("seeds", "seeds holds %d, but a seed must be 0 to 2^53", n)
		case slices.Contains(l.exp.Seeds, seed):
			l.bad("seeds", "seeds lists %d twice: name each seed once", n)
		}
		l.exp.Seeds = append(l.exp.Seeds, seed)
	}
}

// TrackSettings mirrors trainings and scores into trackers while a study runs. It is part of no
// result: a study is the same with and without it. A file of JSON lines is always written, see
// trackers.md.
type TrackSettings struct {
	// TensorBoard writes event files, a folder for each training and score.
	TensorBoard bool `json:"tensorboard"`
	// Folder is where event files go; with "" it is tensorboard in the workspace.
	Folder string `json:"folder"`
	// MLflow is the address of a server, such as http://127.0.0.1:5000.
	MLflow string `json:"mlflow"`
	// Experiment is what that server calls the experiment; with "" it has the experiment's name.
	Experiment string `json:"experiment"`
}

// track reads [track].
func (l *loader) track() {
	v, ok := l.raw["track"]
	if !ok {
		return
	}
	tree, _ := l.tree("track", v)
	t := &l.exp.Track
	l.table("track", tree, t)
	t.Folder = l.exp.absolute(t.Folder)
	if at, err := url.Parse(t.MLflow); t.MLflow != "" && (err != nil || at.Host == "" || !strings.HasPrefix(at.Scheme, "http")) {
		l.bad("track.mlflow", "track.mlflow is %q, but must be the address of a server, such as \"http://127.0.0.1:5000\"",
			t.MLflow)
	}
}

// read sets *into from a top-level key if it is there and of the right type.
func read[T any](l *loader, key string, into *T) {
	v, ok := l.raw[key]
	if !ok {
		return
	}
	value, wrong := convertValue(v, reflect.TypeFor[T]())
	if wrong != "" {
		l.bad(key, "%s %s", key, wrong)
		l.unread[key] = true
		return
	}
	*into = value.Interface().(T)
}
