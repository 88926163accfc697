package experiment

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Command returns the command line that runs the experiment again. It names the workspace if the
// file names another one.
func (e *Experiment) Command() string {
	line := "smlm-exp run " + wording.ShellWord(wording.Path(e.File))
	for _, name := range e.only {
		line += " --dataset " + wording.ShellWord(name)
	}
	line += overriding(e.Set)
	if e.Elsewhere {
		line += " --workspace " + wording.ShellWord(e.Workspace)
	}
	return line
}

// CommandForOthers returns the command that runs the experiment, without paths of this machine, for
// documents.
func (e *Experiment) CommandForOthers() string {
	other := *e
	other.File, other.Elsewhere = wording.PathForOthers(e.File), false
	return other.Command()
}

// overriding returns overrides as options of a command line, each after a space.
func overriding(set []string) (words string) {
	for _, s := range set {
		words += " --set " + wording.ShellWord(s)
	}
	return words
}

// Text returns the experiment's settings as TOML. Keys that the file leaves out have their
// defaults, and paths are relative to the file. Data sets and variants after the first have only
// the keys that differ from those of the first.
func (e *Experiment) Text() string {
	var b strings.Builder
	key := func(name string, value any) {
		text, err := toml.Marshal(map[string]any{name: value})
		if err != nil { // cannot happen: settings are strings, numbers, booleans and lists of them
			text = fmt.Appendf(nil, "# %s: %v\n", name, err)
		}
		b.Write(text)
	}
	key("name", e.Name)
	key("seeds", e.Seeds)
	key("profile", e.Profile)
	switch e.WordNet {
	case "":
	case NoWordNet:
		key("wordnet", NoWordNet)
	default:
		key("wordnet", e.relative(e.WordNet))
	}
	if e.Vectors != "" {
		key("vectors", e.relative(e.Vectors))
	}
	first := e.Datasets[0].variants[0]
	for i, d := range e.Datasets {
		fmt.Fprintf(&b, "\n[datasets.%s]\n", d.Name)
		settings := d.DatasetSettings
		settings.eachPath(e.relative)
		for _, f := range reflect.VisibleFields(reflect.TypeOf(settings)) {
			if value := reflect.ValueOf(settings).FieldByIndex(f.Index); !value.IsZero() {
				key(keyOf(f), value.Interface())
			}
		}
		if i > 0 {
			e.tables(&b, key, "datasets."+d.Name+".", d.variants[0], first)
		}
	}
	e.tables(&b, key, "", first, nil)
	for _, v := range e.Datasets[0].variants {
		if v.name != "" {
			fmt.Fprintf(&b, "\n[variants.%s]\n", v.name)
			e.tables(&b, key, "variants."+v.name+".", v, first)
		}
	}
	return b.String()
}

// tables writes the tables of a variant. If the parameter "other" is not nil, it writes only the
// keys whose values differ between the two variants.
func (e *Experiment) tables(b *strings.Builder, key func(string, any), prefix string, v, other *variant) {
	table := ""
	for _, f := range schema {
		value := v.valueOf(f)
		if other != nil && reflect.DeepEqual(value, other.valueOf(f)) {
			continue
		}
		if f.table != table {
			table = f.table
			fmt.Fprintf(b, "\n[%s%s]\n", prefix, table)
		}
		key(f.key, value)
	}
}
