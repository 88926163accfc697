package stages

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// timed replaces the clock by one that finds bfloat16 so many times as fast, for the test.
func timed(t *testing.T, faster float64) {
	t.Helper()
	was := clock
	t.Cleanup(func() { clock = was })
	clock = &precision.Clock{
		Dir: t.TempDir(), Machine: func() precision.Machine { return precision.Machine{} },
		Measure: func(precision.Part) (precision.Timing, error) {
			return precision.Timing{FP32: 1, BF16: 1 / faster}, nil
		},
	}
}

// onCPU runs fn on the torch thread, or skips where a precision is not measured.
func onCPU(t *testing.T, fn func()) {
	t.Helper()
	err := torch.Run(func() error {
		if why := torch.WhyNoBF16(); torch.OnCUDA() || why != "" {
			t.Skip("no precision is measured here " + why)
		}
		fn()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func newJob(t *testing.T) *stage.Job {
	t.Helper()
	return &stage.Job{Scratch: t.TempDir(), Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

// checkpointIn leaves what says that an interrupted training is in a folder.
func checkpointIn(t *testing.T, dir string, p recipe.Precision) {
	t.Helper()
	text := `{"steps": 7, "precision": "` + string(p) + `"}`
	if err := os.WriteFile(filepath.Join(dir, "checkpoint.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var someParts = precision.Transformer{
	BatchTokens: 24, Vocab: 30, SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 8, FF: 16},
}.SMLM()

// TestAutoMeasures: "auto" is what was measured to be faster, and the record says so; a precision
// by its name is taken, and nothing is said.
func TestAutoMeasures(t *testing.T) {
	for asked, c := range map[recipe.Precision]struct {
		faster float64
		want   recipe.Precision
		why    string
	}{
		recipe.Auto: {2, recipe.BF16, "in bfloat16 (measured"},
		recipe.FP32: {2, recipe.FP32, ""},
		recipe.BF16: {.5, recipe.BF16, ""},
	} {
		timed(t, c.faster)
		onCPU(t, func() {
			job := newJob(t)
			r := training(job, recipe.Training{Precision: asked}, 1, someParts)
			why := job.Used.Auto.Why
			if r.Precision != c.want || job.Used.Precision != string(c.want) || (c.why == "") != (why == "") ||
				!strings.Contains(why, c.why) {
				t.Errorf("%s: %s, recorded %+v", asked, r.Precision, job.Used)
			}
		})
	}
	timed(t, .5)
	onCPU(t, func() {
		job := newJob(t)
		if r := training(job, recipe.Training{Precision: recipe.Auto}, 1, someParts); r.Precision != recipe.FP32 ||
			!(job.Used.Auto.BF16 > job.Used.Auto.FP32) {
			t.Errorf("%s, recorded %+v", r.Precision, job.Used)
		}
	})
}

// TestResumeKeepsPrecision: an interrupted training goes on in the precision that it began in,
// whatever is measured now; so does another training of the same stage.
func TestResumeKeepsPrecision(t *testing.T) {
	for _, p := range []recipe.Precision{recipe.FP32, recipe.BF16} {
		timed(t, map[recipe.Precision]float64{recipe.FP32: 2, recipe.BF16: .5}[p]) // the other one is faster
		onCPU(t, func() {
			job := newJob(t)
			checkpointIn(t, job.Scratch, p)
			auto := recipe.Training{Precision: recipe.Auto}
			r := training(job, auto, 1, someParts)
			if r.Precision != p || job.Used.Precision != string(p) ||
				!strings.Contains(job.Used.Auto.Why, "checkpoint") {
				t.Errorf("%s: goes on in %s, recorded %+v", p, r.Precision, job.Used)
			}
			r = trainingIn(job, t.TempDir(), auto, 2, someParts)
			if r.Precision != p || job.Used.Precision != string(p) {
				t.Errorf("%s: the next training of the stage is in %s", p, r.Precision)
			}
		})
	}
}

// TestCannotMeasure: a training begins in float32 where its model's layers could not be measured.
func TestCannotMeasure(t *testing.T) {
	timed(t, 2)
	clock.Measure = func(precision.Part) (precision.Timing, error) { return precision.Timing{}, errors.New("it broke") }
	onCPU(t, func() {
		job := newJob(t)
		r := training(job, recipe.Training{Precision: recipe.Auto}, 1, someParts)
		if r.Precision != recipe.FP32 || !strings.Contains(job.Used.Auto.Why, "it broke") {
			t.Errorf("%s, recorded %+v", r.Precision, job.Used)
		}
	})
}

// TestSameSeedAfterMeasuring: what is measured takes none of the training's random numbers.
func TestSameSeedAfterMeasuring(t *testing.T) {
	timed(t, 2)
	clock.Measure = precision.Measure
	onCPU(t, func() {
		draw := func(p recipe.Precision) float32 {
			training(newJob(t), recipe.Training{Precision: p}, 5, someParts)
			return torch.Uniform(0, 1, 1).Floats()[0]
		}
		if a, b := draw(recipe.Auto), draw(recipe.FP32); a != b {
			t.Errorf("the first random number is %v after measuring, else %v", a, b)
		}
	})
}

// TestTransferPrecision: a model that was trained in bfloat16 writes in it where that is faster,
// and one of float32 never does.
func TestTransferPrecision(t *testing.T) {
	c := smlm.Config{Vocab: 30, SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 8, FF: 16}}
	for _, k := range []struct {
		trained string
		faster  float64
		want    bool
	}{{"bf16", 2, true}, {"bf16", .5, false}, {"fp32", 2, false}, {"", 2, false}} {
		timed(t, k.faster)
		onCPU(t, func() {
			if got := inBF16(k.trained, shape(c, 100).SMLM()); got != k.want {
				t.Errorf("%+v: %v", k, got)
			}
		})
	}
}
