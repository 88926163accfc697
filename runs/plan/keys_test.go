package plan

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// allMatters is an experiment in which every key of every table has an effect. Some keys only have
// an effect together with the settings in the map "needs".
var allMatters = `
wordnet = "none" # reading one takes time
[datasets.tiny]
dir = "data"
unseen = '` + inventedUnseen + `'
[masking]
methods = [
	"explainable_attention", "vanilla_attention", "attention_x_input", "gradients", "gradients_x_input",
	"integrated_gradients", "random", "none",
]
[smlm]
decoding = ["copied", "predicted", "guided"]
`

// The map needs gives, for a key, the settings without which the key has no effect.
var needs = map[string]string{
	"masking.top_share": "masking.policy=top_share",
}

// The map instead gives another valid value for each setting that is neither a number nor a
// boolean. A key of the map is the path of the setting or its present value.
var instead = map[string]string{
	"fp32": "bf16", "surplus": "top_share", "auto": "l2",
	"algorithm": "minmax", "all": "masked", "head": "guide",
	"": "SMLM", "smlm.pretrained": smallEncoder, "metrics.encoder": smallEncoder,
	"report.scores": inventedScores,
	"smlm.heads":    "4", "smlm.dim": "256",
	"masking.methods":  "['explainable_attention']",
	"masking.train_on": "['random']",
	"smlm.models":      "['smlm']", "smlm.decoding": "['copied']", "report.tables": "['content']", "report.figures": "[]",
}

// TestEveryKeyMatters checks that every key of every table changes what is trained or measured. The
// keys of [report] are exceptions, because they choose what is shown.
func TestEveryKeyMatters(t *testing.T) {
	var idle []string
	unchanged := ids(newPlan(t, load(t, allMatters)))
	walked := eachKey(t, load(t, allMatters), func(_, path, other string) {
		before, base := unchanged, needed(path)
		if len(base) > 0 {
			before = ids(newPlan(t, load(t, allMatters, base...)))
		}
		if cmp.Equal(before, ids(newPlan(t, load(t, allMatters, append(base, other)...)))) {
			idle = append(idle, path)
		}
	})
	slices.Sort(idle)
	shown := []string{
		"report.against", "report.examples", "report.figures", "report.paper", "report.scores", "report.tables",
	}
	if d := cmp.Diff(shown, idle); d != "" || walked < 80 {
		t.Errorf("of %d keys these change no stage (where one acts beside other settings only, needs names them; -want +got):\n%s", walked, d)
	}
}

// The function needed returns the settings that a key needs to have an effect.
func needed(path string) []string {
	return strings.Fields(needs[path])
}

// eachKey calls fn for every key of every table, with the table, the path of the key, and another
// value as "PATH=VALUE". It returns the number of keys.
func eachKey(t *testing.T, e *experiment.Experiment, fn func(table, path, other string)) (walked int) {
	t.Helper()
	var every map[string]any
	if _, err := toml.Decode(e.Text(), &every); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(every)) {
		table, isTable := every[name].(map[string]any)
		if !isTable || name == "datasets" {
			continue
		}
		for key, value := range table {
			path := name + "." + key
			walked++
			fn(name, path, path+"="+otherThan(t, path, value))
		}
	}
	return walked
}

// otherThan returns "PATH=VALUE", as --set takes it. VALUE differs from the given value.
func otherThan(t *testing.T, path string, value any) string {
	if v, ok := instead[path]; ok {
		return v
	}
	switch v := value.(type) {
	case bool:
		return fmt.Sprint(!v)
	case int64:
		return fmt.Sprint(v + 1)
	case float64:
		if v == 0 {
			return "0.5"
		}
		return fmt.Sprint(v / 2)
	case string:
		if other, ok := instead[v]; ok {
			return other
		}
	}
	t.Fatalf("%s has a value %v that the test knows no other of", path, value)
	return ""
}

// TestEveryDatasetKeyMatters checks that every key of a data set changes stages. Of the keys
// outside tables, only "seeds", "profile" and "vectors" change stages. The others choose where the
// study runs and on which machine or device.
func TestEveryDatasetKeyMatters(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteData(t, filepath.Join(dir, "more"), 4)
	testkit.WriteFile(t, filepath.Join(dir, "v.txt"), "good 1 0\n")
	testkit.WriteFile(t, filepath.Join(dir, "w.tsv"), "__intercept__\t0.5\ngood\t1\n")
	for style := range 2 {
		testkit.WriteLines(t, filepath.Join(dir, "data", corpus.ExtraName(style)), 3, "an extra")
		testkit.WriteLines(t, filepath.Join(dir, "systems", fmt.Sprintf("S.%d.txt", style)), 3, "an output")
	}
	before := ids(newPlan(t, loadIn(t, dir, allMatters)))
	var idle []string
	sets := map[string][]string{
		"dir": {"more"}, "builtin": {"demo", "dir=''"}, "labels": {"['a','b']"}, "directions": {"['0 -> 1']"},
		"max_train": {"2"},
		"outputs":   {"systems"}, "references": {"systems"},
		"naturalness": {"w.tsv"}, "vectors": {"v.txt"}, "train_extra": {"true"},
		"unseen": {"none"},
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[experiment.DatasetSettings]()) {
		key := f.Tag.Get("json")
		values, ok := sets[key]
		if !ok {
			t.Errorf("the test has no value of %s", key)
			continue
		}
		set := []string{"datasets.tiny." + key + "=" + values[0]}
		for _, more := range values[1:] {
			set = append(set, "datasets.tiny."+more)
		}
		if cmp.Equal(before, ids(newPlan(t, loadIn(t, dir, allMatters, set...)))) {
			idle = append(idle, key)
		}
	}
	if len(idle) > 0 {
		t.Errorf("keys that change no stage: %q", idle)
	}
	for _, set := range []string{"seeds=[9]", "profile=fitted", "vectors=v.txt"} {
		if cmp.Equal(before, ids(newPlan(t, loadIn(t, dir, allMatters, set)))) {
			t.Errorf("%s changes no stage", set)
		}
	}
}
