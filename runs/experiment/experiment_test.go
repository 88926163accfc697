package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"pgregory.net/rapid"
)

func refInt(n int) reflect.Value { return reflect.ValueOf(n) }

// The experiment files of the repository load, train all three models, and keep their workspace in
// the repository's folder. The demo sweeps over at least 2 lambda_eps and 2 lambda_con; the paper's
// file has its four data sets.
func TestShippedExperiments(t *testing.T) {
	for file, axes := range map[string]map[string]int{
		"../../experiments.toml":       {"divlstm.lambda_con": 2, "masking.lambda_eps": 2},
		"../../experiments/yelp.toml":  {"finetune.lambda_rec": 2},
		"../../experiments/paper.toml": {},
	} {
		e, err := Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range e.Points() {
			got := slices.Sorted(slices.Values(p.Settings.SMLM.Models))
			if !slices.Equal(got, slices.Sorted(slices.Values(Models))) {
				t.Errorf("%s: models %v", file, got)
			}
		}
		for path, least := range axes {
			if !slices.ContainsFunc(
				e.Datasets[0].variants[0].axes,
				func(a axis) bool { return a.path == path && len(a.values) >= least },
			) {
				t.Errorf("%s does not sweep over %d values of %s", file, least, path)
			}
		}
		if got := filepath.Join(repository(t), "workspace"); e.Workspace != got {
			t.Errorf("%s: workspace %s, want %s", file, e.Workspace, got)
		}
		if filepath.Base(file) == "paper.toml" && len(e.Datasets) != 4 {
			t.Errorf("%s has %d data sets", file, len(e.Datasets))
		}
	}
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The paper's per-data-set values: lambda_con 20 for Amazon, lambda_eps 0.5 for SNLI (tables of the
// paper's appendix).
func TestPaperValues(t *testing.T) {
	e, err := Load("../../experiments/paper.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range e.Points() {
		con, eps := 10.0, 0.15
		switch p.Dataset {
		case "amazon":
			con = 20
		case "snli":
			eps = 0.5
		}
		if p.Settings.DivLSTM.LambdaCon != con || p.Settings.Masking.LambdaEps != eps {
			t.Errorf(
				"%s: lambda_con %v, lambda_eps %v", p.Dataset, p.Settings.DivLSTM.LambdaCon,
				p.Settings.Masking.LambdaEps,
			)
		}
	}
}

func TestPointsOrder(t *testing.T) {
	e := load(t, `seeds = [7, 3]
[smlm]
dropout = [0.1, 0.2]
[datasets.b]
dir = "data"
[datasets.a]
dir = "data"
[datasets.a.smlm]
dropout = 0.5
[datasets.a.finetune]
dropout = [0.0, 0.25]
[masking]
lambda_eps = [0.5, 3e-1]
`)
	var got []string
	for _, p := range e.Points() {
		var axes []string
		for _, a := range p.Axes {
			axes = append(axes, a.Key+"="+a.Value)
		}
		got = append(got, fmt.Sprintf("%s %s seed=%d", p.Dataset, strings.Join(axes, " "), p.Seed))
	}
	var want []string
	for _, d := range []string{"0.1", "0.2"} {
		for _, l := range []string{"0.5", "0.3"} {
			for _, s := range []string{"7", "3"} {
				want = append(want, "b smlm.dropout="+d+" lambda_eps="+l+" seed="+s)
			}
		}
	}
	for _, d := range []string{"0", "0.25"} {
		for _, l := range []string{"0.5", "0.3"} {
			for _, s := range []string{"7", "3"} {
				want = append(want, "a finetune.dropout="+d+" lambda_eps="+l+" seed="+s)
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
	if s := e.Points()[8].Settings; s.SMLM.Dropout != 0.5 || s.Finetune.Dropout != 0 || s.Masking.LambdaEps != 0.5 {
		t.Errorf("the data set's own settings do not win: %+v", s)
	}
}

func TestDefaults(t *testing.T) {
	e := load(t, "[datasets.tiny]\ndir = \"data\"\n")
	if e.Name != "e" || !slices.Equal(e.Seeds, []uint64{1}) || e.Profile != "paper" || e.Threads != 0 ||
		filepath.Base(e.Workspace) != "workspace" {
		t.Errorf("defaults: %+v", e)
	}
	if d := cmp.Diff(DefaultSettings(), e.Points()[0].Settings); d != "" {
		t.Errorf("settings differ from the defaults:\n%s", d)
	}
	if got, want := e.Datasets[0].Dir, filepath.Join(filepath.Dir(e.Path), "data"); got != want {
		t.Errorf("dir %q is not beside the experiment file: %q", got, want)
	}
	vanilla := load(t, "[datasets.tiny]\ndir = \"data\"\n[masking]\nmethods = [\"vanilla_attention\", \"random\"]\n")
	if got := vanilla.Points()[0].Settings.Masking.TrainOn; !slices.Equal(got, []policy.Method{"vanilla_attention"}) {
		t.Errorf("without explainable attention the models train on %v, want the first method", got)
	}
}

func TestOverrides(t *testing.T) {
	e := load(
		t,
		testkit.SmallStudy,
		"masking.lambda_eps=0.4",
		"smlm.epochs = [2, 3]",
		"divlstm.reduction=sum",
		`smlm.models=["smlm"]`,
		"datasets.tiny.labels=['sad', \"glad\"]",
		"seeds=[5]",
		"datasets.tiny.vocab.size=77",
		"name=other-1",
		"smlm.write_special=true",
	)
	points := e.Points()
	if len(points) != 2 || e.Name != "other-1" || points[0].Seed != 5 {
		t.Fatalf("%d points of %s", len(points), e.Name)
	}
	s := points[1].Settings
	if s.Masking.LambdaEps != 0.4 || s.SMLM.Epochs != 3 || s.DivLSTM.Reduction != "sum" || len(s.SMLM.Models) != 1 ||
		s.Vocab.Size != 77 ||
		!s.SMLM.WriteSpecial {
		t.Errorf("settings %+v", s)
	}
	if d := cmp.Diff([]string{"sad", "glad"}, e.Datasets[0].Labels); d != "" {
		t.Error(d)
	}
}

func TestBadOverrides(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), testkit.SmallStudy)
	t.Chdir(dir)
	for set, want := range map[string]string{
		"masking.lambda_eps":          "--set masking.lambda_eps: write table.key=value",
		"masking.lambda_eps=":         "--set masking.lambda_eps=: write table.key=value",
		"=3":                          "--set =3: write table.key=value",
		"masking..x=3":                "--set masking..x=3: the part before the = is not a key",
		"masking={lambda_eps=0.1}":    "--set masking={lambda_eps=0.1}: set one key at a time, not a table",
		"masking.lambda_eps=[0.1, x]": "--set masking.lambda_eps=[0.1, x]: this is not a TOML list: words in it need quotes",
		"masking.methods=[random]": "--set masking.methods=[random]: this is not a TOML list: words in it need quotes, " +
			`in a shell as 'masking.methods=["a", "b"]'`,
		"masking.lambda_eps=[0.1":   "--set masking.lambda_eps=[0.1: this is not a TOML value",
		"masking.lambda_eps=much":   `--set masking.lambda_eps=much: masking.lambda_eps is the string "much", but must be a number`,
		"masking.lamda_eps=1":       `--set masking.lamda_eps=1: unknown key "lamda_eps" in [masking]: did you mean "lambda_eps"?`,
		"foo.bar=1":                 `--set foo.bar=1: unknown key "foo": known keys are name`,
		"smlmm.epochs=1":            `--set smlmm.epochs=1: unknown key "smlmm": did you mean "smlm"?`,
		"lambda_eps=1":              `--set lambda_eps=1: unknown key "lambda_eps": it belongs to [masking]`,
		"name.x=1":                  "--set name.x=1: in the file name is not a table",
		"variants.a.vocab.size=1":   `--set variants.a.vocab.size=1: the file has no variant "a"`,
		"datasets.tyny.max_train=1": `--set datasets.tyny.max_train=1: the file has no data set "tyny": did you mean "tiny"?`,
		"smlm.heads=7": "--set smlm.heads=7: smlm.heads does not fit: smlm.dim 512 is not divisible " +
			"by smlm.heads 7",
		"seeds=[1]\nx=2": "write it on one line",
	} {
		_, err := Load("e.toml", []string{set})
		testkit.WantError(t, err, userr.BadInput, want)
	}
}

// The number of points is the product of the lengths of the axes and of the seeds, and no two
// points are equal.
func TestPointCount(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		axes := map[string]string{
			"masking.lambda_eps": "0.%d1", "divlstm.lambda_con": "%d.5", "smlm.ff": "%d2", "finetune.lambda_rec": "%d",
			"vocab.size": "%d3",
		}
		text, want := "[datasets.a]\nbuiltin = \"demo\"\n", 1
		var set []string
		for path, pattern := range axes {
			n := rapid.IntRange(0, 3).Draw(r, path)
			if n == 0 {
				continue
			}
			var values []string
			for i := range n {
				values = append(values, fmt.Sprintf(pattern, i+1))
			}
			set = append(set, path+"=["+strings.Join(values, ",")+"]")
			want *= n
		}
		seeds := rapid.SliceOfNDistinct(
			rapid.Uint64Range(0, 1<<53), 1, 3, func(v uint64) uint64 { return v },
		).Draw(r, "seeds")
		set = append(set, "seeds="+strings.ReplaceAll(fmt.Sprint(seeds), " ", ","))
		want *= len(seeds)
		if err := os.WriteFile(filepath.Join(dir, "e.toml"), []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
		e, err := Load(filepath.Join(dir, "e.toml"), set)
		if err != nil {
			r.Fatal(err)
		}
		points := e.Points()
		if len(points) != want {
			r.Fatalf("%d points, want %d", len(points), want)
		}
		seen := map[string]bool{}
		for _, p := range points {
			key := fmt.Sprint(p.Settings, p.Seed)
			if seen[key] {
				r.Fatalf("point %v twice", p)
			}
			seen[key] = true
		}
	})
}

// No experiment file makes the loader panic; what it accepts has at least one point, and each point
// passes the checks again.
func FuzzLoad(f *testing.F) {
	f.Add(testkit.SmallStudy, "masking.lambda_eps=0.3")
	f.Add("seeds = [1]\n[datasets.\"a.b\"]\nbuiltin='demo'\n[datasets.\"a.b\".smlm]\nheads=[1,2]\n", "x=[")
	f.Add("datasets = {a = {builtin = \"demo\", masking = {lambda_eps = [1, 2]}}}\n", "smlm.models=[]")
	f.Add("x = '''a\n''''\ny = \"\"\"\\\"\"\"\"\"\n# [c]\n[d]\n", "seeds=1")
	f.Fuzz(func(t *testing.T, text, set string) {
		e, err := parseExperiment("e.toml", "/nowhere/e.toml", text, []string{set})
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput || err.Error() == "" {
				t.Errorf("error %q of code %d", err, userr.CodeOf(err))
			}
			return
		}
		points := e.Points()
		if len(points) == 0 || len(points) > MaxPoints {
			t.Fatalf("%d points", len(points))
		}
		for _, p := range points {
			check(
				&p.Settings, func(sentence string, paths ...string) { t.Errorf("accepted: %s %s", paths[0], sentence) },
			)
		}
	})
}
