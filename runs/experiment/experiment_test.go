package experiment

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

func refInt(n int) reflect.Value { return reflect.ValueOf(n) }

// TestShippedExperiments checks experiment files of the repository. Each file loads, trains all
// transfer models and has its workspace in the repository's folder. experiments.toml sweeps over
// two or more values of lambda_eps, yelp.toml over two or more values of lambda_rec. paper.toml has
// four data sets.
func TestShippedExperiments(t *testing.T) {
	for file, axes := range map[string]map[string]int{
		"../../experiments.toml":       {"masking.lambda_eps": 2},
		"../../experiments/yelp.toml":  {"finetune.lambda_rec": 2},
		"../../experiments/paper.toml": {},
	} {
		e, err := Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range e.Points() {
			got := slices.Sorted(slices.Values(p.Settings.SMLM.Models))
			if !slices.Equal(got, slices.Sorted(slices.Values(DefaultSettings().SMLM.Models))) {
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

// TestPaperValues: experiments/paper.toml has the paper's own sizes, thresholds and decoding. It
// also has a warm-up, because without a warm-up the dev loss of an SMLM of this size rose from 1.01
// to 3.83 in the second epoch.
func TestPaperValues(t *testing.T) {
	e, err := Load("../../experiments/paper.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range e.Points() {
		eps := 0.15
		if p.Dataset == "snli" {
			eps = 0.5
		}
		s := p.Settings
		for what, ok := range map[string]bool{
			"lambda_eps":    float64(s.Masking.LambdaEps) == eps,
			"shape":         s.SMLM.SMLMShape == recipe.SMLMShape{Layers: 2, Heads: 8, Dim: 512, FF: 2048},
			"epochs":        s.SMLM.Epochs == 15 && s.Decoder.Epochs == 15 && s.Finetune.Epochs == 1,
			"loss":          s.SMLM.Loss == recipe.All && s.SMLM.SourceToken,
			"decoding":      slices.Equal(s.SMLM.Decoding, []recipe.Decoding{recipe.Predicted}),
			"fine-tuning":   s.Finetune.LambdaSta == 1 && s.Finetune.Clip == 1e-3 && s.Finetune.MaxSteps == 0,
			"learning rate": s.SMLM.Warmup >= 500 && s.SMLM.LR < 1e-3 && s.Decoder.Warmup > 0,
		} {
			if !ok {
				t.Errorf("%s: the %s is not that of the paper: %+v", p.Dataset, what, s)
			}
		}
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

// FuzzLoad checks that the loader never panics. An experiment that it accepts has at least one
// point, and every point passes the checks again.
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
		if len(points) == 0 || len(points) > maxPoints {
			t.Fatalf("%d points", len(points))
		}
		for _, p := range points {
			check(
				&p.Settings, func(sentence string, paths ...string) { t.Errorf("accepted: %s %s", paths[0], sentence) },
			)
		}
	})
}

// TestOutputs checks that a model writes outputs with every configured decoding that it can use.
func TestOutputs(t *testing.T) {
	s := DefaultSettings()
	s.SMLM.Decoding = []recipe.Decoding{recipe.Copied, recipe.Predicted, recipe.GuidedDecoding}
	for loss, want := range map[recipe.Loss]map[string][]recipe.Decoding{
		recipe.All: {
			"smlm": s.SMLM.Decoding, "smlm-ft": s.SMLM.Decoding, "smlm-g": {recipe.Copied, recipe.Predicted},
		},
		recipe.Masked: {
			"smlm":    {recipe.Copied, recipe.GuidedDecoding},
			"smlm-ft": {recipe.Copied, recipe.GuidedDecoding},
			"smlm-g":  {recipe.Copied, recipe.Predicted},
		},
	} {
		s.SMLM.Loss = loss
		for model, decodings := range want {
			if got := s.Outputs(model); !slices.Equal(got, decodings) {
				t.Errorf("loss %s, %s: %v, want %v", loss, model, got, decodings)
			}
		}
	}
}
