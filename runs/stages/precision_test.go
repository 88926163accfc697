package stages

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// onBF16 runs fn on the torch thread. It skips the test if the device cannot compute products in
// bfloat16.
func onBF16(t *testing.T, fn func()) {
	t.Helper()
	err := torch.Run(func() error {
		if why := torch.WhyNoBF16(); why != "" {
			t.Skip(why)
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

// checkpointIn writes the file that marks a folder as the checkpoint of an interrupted training in
// this precision.
func checkpointIn(t *testing.T, dir string, p recipe.Precision) {
	t.Helper()
	text := `{"steps": 7, "precision": "` + string(p) + `"}`
	if err := os.WriteFile(filepath.Join(dir, "checkpoint.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPrecision checks that "auto" is replaced by the precision that is faster on the device, and
// that any other precision is used as it is. The job records the precision in both cases.
func TestPrecision(t *testing.T) {
	onBF16(t, func() {
		auto := recipe.FP32
		if torch.FasterInBF16() {
			auto = recipe.BF16
		}
		for asked, want := range map[recipe.Precision]recipe.Precision{
			recipe.Auto: auto, recipe.FP32: recipe.FP32, recipe.BF16: recipe.BF16,
		} {
			job := newJob(t)
			r := training(job, recipe.Training{Precision: asked}, 1)
			if r.Precision != want || job.Used.Precision != string(want) {
				t.Errorf("%s: %s, recorded %+v, want %s", asked, r.Precision, job.Used, want)
			}
		}
	})
}

// TestResumeKeepsPrecision: with "auto", an interrupted training run continues in the precision in
// which it began. A later training run of the same stage uses that precision too.
func TestResumeKeepsPrecision(t *testing.T) {
	for _, p := range []recipe.Precision{recipe.FP32, recipe.BF16} {
		onBF16(t, func() {
			job := newJob(t)
			checkpointIn(t, job.Scratch, p)
			auto := recipe.Training{Precision: recipe.Auto}
			r := training(job, auto, 1)
			if r.Precision != p || job.Used.Precision != string(p) {
				t.Errorf("%s: goes on in %s, recorded %+v", p, r.Precision, job.Used)
			}
			r = trainingIn(job, t.TempDir(), auto, 2)
			if r.Precision != p || job.Used.Precision != string(p) {
				t.Errorf("%s: the next training of the stage is in %s", p, r.Precision)
			}
		})
	}
}

// TestTransferPrecision: a model that was trained in bfloat16 writes outputs in bfloat16 if that is
// faster on this device. A model that was trained in float32 never does.
func TestTransferPrecision(t *testing.T) {
	onBF16(t, func() {
		for trained, want := range map[string]bool{"bf16": torch.FasterInBF16(), "fp32": false, "": false} {
			if got := inBF16(trained); got != want {
				t.Errorf("trained in %q: %t, want %t", trained, got, want)
			}
		}
	})
}
