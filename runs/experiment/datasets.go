package experiment

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// DatasetSettings describes one data set (data.md).
type DatasetSettings struct {
	// Dir is the folder with the text files.
	Dir string `json:"dir"`
	// Builtin is a corpus inside the program, instead of dir: "demo".
	Builtin string `json:"builtin"`
	// Labels are the names of styles 0, 1 and so on. Default: the numbers, or a builtin corpus's
	// names.
	Labels []string `json:"labels"`
	// Directions are the directions to rewrite and measure, as in ["rude -> polite"]. Default: all.
	Directions []string `json:"directions"`
	// TrainExtra adds train_extra.{0,1}.txt in dir to the training set.
	TrainExtra bool `json:"train_extra"`
	// MaxTrain is the number of training sentences to use for each style, a seeded sample. 0: all.
	MaxTrain int `json:"max_train" must:"0 or more"`
	// Unseen is the text that only the judge of TST% unseen reads: a folder with train.{0,1}.txt,
	// "none" or "auto" (data.md).
	Unseen string `json:"unseen" default:"auto"`
	// Outputs is a folder, or a list of folders, with other systems' outputs NAME.{0,1}.txt. Each
	// system becomes a row.
	Outputs []string `json:"outputs"`
	// References is a folder, or a list of folders, with further human rewrites NAME.{0,1}.txt of
	// the test sentences, for "r-BLEU all".
	References []string `json:"references"`
	// Naturalness is a file of unigram weights for Nat., which is part of Mean. Default: a
	// classifier trained on the data set.
	Naturalness string `json:"naturalness"`
	// Vectors is a text file of word vectors for the embedding metrics. Default: the file that the
	// experiment names.
	Vectors string `json:"vectors"`
}

// Dataset is one table [datasets.NAME], with the settings and the sweep for this data set. Tables
// of the data set ([datasets.NAME.divlstm] and so on) override the tables of the whole file.
type Dataset struct {
	Name string
	DatasetSettings
	place    func(key string) string // see Place
	sets     map[string]bool         // paths ("smlm.dim") that the file sets for all variants
	variants []*variant              // at least one
	fitted   *fit                    // sizes and steps for this data set, for the profile "fitted"; nil until used
}

// Place returns where a key is set for the data set, such as "mine.toml:12".
func (d *Dataset) Place(key string) string { return d.place(key) }

// eachPath replaces every path p in the settings by f(p).
func (d *DatasetSettings) eachPath(f func(path string) string) {
	paths := []*string{&d.Dir, &d.Naturalness, &d.Vectors}
	if d.Unseen != UnseenAuto && d.Unseen != UnseenNone {
		paths = append(paths, &d.Unseen)
	}
	for _, p := range paths {
		*p = f(*p)
	}
	for _, list := range []*[]string{&d.Outputs, &d.References} {
		*list = slices.Clone(*list)
		for i, p := range *list {
			(*list)[i] = f(p)
		}
	}
}

// The key "unseen" takes a folder, or one of these words.
const (
	UnseenAuto = "auto"
	UnseenNone = "none"
)

// datasets reads the [datasets.NAME] tables in the order of the file, with the settings of each.
func (l *loader) datasets() {
	global, variants := l.assignments(l.raw, ""), l.variants()
	v, ok := l.raw["datasets"]
	named, isTable := v.(map[string]any)
	switch {
	case ok && !isTable:
		l.bad("datasets", "datasets is %s, but must be tables: [datasets.NAME]", describeValue(v))
	case len(named) == 0:
		l.bad("datasets", `there is no data set: add a table [datasets.NAME] with dir = "FOLDER" or builtin = "demo"`)
	}
	for _, name := range l.inOrder("datasets", named) {
		path := "datasets." + name
		if !goodName.MatchString(name) {
			l.bad(path, "the data set's name %q must be letters, digits, dashes or underscores", name)
		}
		tree, ok := l.tree(path, named[name])
		if !ok {
			continue
		}
		d := &Dataset{Name: name, place: func(key string) string {
			if _, own := tree[key]; !own && l.raw[key] != nil { // the key "vectors" of the whole file
				return l.exp.Place(key)
			}
			return l.exp.Place(path + "." + key)
		}}
		setDefaults("datasets", &d.DatasetSettings)
		l.dataset(d, path, tree)
		if _, ok := tree["report"]; ok {
			l.bad(path+".report", "[report] is for the whole experiment, not for one data set: remove it here")
			delete(tree, "report")
		}
		l.settings(d, global, l.assignments(tree, path+"."), variants)
	}
	if len(l.exp.Datasets) == 0 { // also check the settings of a file without data sets
		l.settings(&Dataset{}, global, nil, variants)
	}
	l.exp.Report = l.exp.Datasets[0].variants[0].base.Report
}

// settings fills and checks the variants of a data set, and adds the data set to the experiment.
func (l *loader) settings(d *Dataset, global, own map[string]assignment, variants []overlay) {
	d.sets = paths(global, own)
	wheres := make([]map[string]string, len(variants))
	for i, o := range variants {
		v := &variant{name: o.name, sets: paths(o.assignments)}
		wheres[i] = l.fill(v, d, global, own, o.assignments)
		d.variants = append(d.variants, v)
	}
	l.exp.Datasets = append(l.exp.Datasets, d)
	l.checkSettings(d, wheres)
}

// paths returns the paths of assignments, such as "smlm.dim".
func paths(from ...map[string]assignment) map[string]bool {
	out := map[string]bool{}
	for _, assignments := range from {
		for path := range assignments {
			out[path] = true
		}
	}
	return out
}

// dataset reads and checks the keys of [datasets.NAME] itself, without its subtables.
func (l *loader) dataset(d *Dataset, path string, tree map[string]any) {
	fields := reflect.VisibleFields(reflect.TypeFor[DatasetSettings]())
	known := lists.Map(fields, keyOf)
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		i := slices.Index(known, key)
		if i < 0 {
			if !slices.Contains(tables, key) {
				l.unknown(path+"."+key, " in ["+path+"]", append(slices.Clone(known), tables...))
			}
			continue
		}
		value, wrong := convertValue(oneOrList(tree[key], key), fields[i].Type)
		if wrong != "" && isPaths(key) {
			wrong = strings.Replace(wrong, "a list of strings", "a path or a list of paths", 1)
		}
		if wrong != "" {
			l.bad(path+"."+key, "%s.%s %s", path, key, wrong)
			l.unread[d.Name+"."+key] = true
			continue
		}
		reflect.ValueOf(&d.DatasetSettings).Elem().FieldByIndex(fields[i].Index).Set(value)
	}
	l.checkDataset(d, path)
	d.Unseen = cmp.Or(d.Unseen, UnseenAuto)
	d.eachPath(l.exp.Absolute)
	d.Vectors = cmp.Or(d.Vectors, l.exp.Vectors)
}

// isPaths reports whether the value of a data set's key may be a single path or a list of paths.
func isPaths(key string) bool {
	return key == "outputs" || key == "references"
}

// oneOrList turns a single path into a list. "" becomes the empty list.
func oneOrList(v any, key string) any {
	path, single := v.(string)
	switch {
	case !single || !isPaths(key):
		return v
	case path == "":
		return []any{}
	}
	return []any{path}
}

func (l *loader) checkDataset(d *Dataset, path string) {
	switch unread := func(key string) bool { return l.unread[d.Name+"."+key] }; {
	case unread("dir") || unread("builtin"):
	case d.Dir == "" && d.Builtin == "":
		l.bad(path, `[%s] names no data: set dir = "FOLDER" or builtin = "demo"`, path)
	case d.Dir != "" && d.Builtin != "":
		l.bad(path+".builtin", "[%s] has both dir and builtin: keep one of them", path)
	case d.Builtin != "" && d.Builtin != corpus.DemoName:
		l.bad(path+".builtin", "%s.builtin is %q, but the corpus inside the program is %q", path, d.Builtin, corpus.DemoName)
	case d.Builtin != "" && d.TrainExtra:
		l.bad(path+".train_extra", "%s.train_extra is true, but a builtin corpus has no such files: remove "+
			"one of the two keys", path)
	}
	if _, err := corpus.CheckLabels(d.Name, d.Labels); err != nil {
		l.bad(path+".labels", "%v", err)
	}
	if d.MaxTrain < 0 {
		l.bad(path+".max_train", "%s.max_train is %d, but must be 0 (all) or more", path, d.MaxTrain)
	}
}
