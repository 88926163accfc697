package nn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// useCUDA creates tensors on the first CUDA device until the test ends, or skips the test and says
// why.
func useCUDA(t *testing.T) {
	t.Helper()
	if err := torch.SetDevice("cuda"); err != nil {
		if len(torch.AskDriver().Devices) > 0 {
			if path, _ := torch.LoadCUDA(); path != "" {
				t.Fatal(err) // the machine has a device and the library, so CUDA must work
			}
		}
		t.Skip(err)
	}
	t.Cleanup(func() { _ = torch.SetDevice("cpu") })
}

// TestCUDATraining checks that, without dropout, a training run on CUDA gives the same losses as on
// the CPU, except for rounding.
func TestCUDATraining(t *testing.T) {
	train := func() (losses []float64) {
		onTorch(t, func() error {
			m := newToy(1)
			defer m.free()
			batch := []int{0, 4, 8, 12}
			for range 8 {
				err := torch.Scoped(func() error {
					loss := CrossEntropy(m.logits(batch, false), m.data.Styles, batch, torch.ReduceMean)
					loss.Backward()
					losses = append(losses, loss.Item())
					if torch.OnCUDA() {
						m.opt.stepLazy()
						return nil
					}
					_, err := m.opt.Step()
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		return losses
	}
	want := train()
	useCUDA(t)
	for i, got := range train() {
		if math.Abs(got-want[i]) > 1e-3*want[i] {
			t.Errorf("step %d: loss %.6f, on the CPU %.6f", i+1, got, want[i])
		}
	}
}

// TestCUDAResume checks that a training run with dropout has the same losses after an interruption,
// except for rounding. For this, the checkpoint must contain the state of the device's random
// generator.
func TestCUDAResume(t *testing.T) {
	useCUDA(t)
	onTorch(t, func() error {
		_, want, err := whole(Recipe{Training: recipe.Training{Epochs: toyEpochs}})
		if err != nil {
			return err
		}
		loop := Recipe{Training: recipe.Training{Epochs: toyEpochs}, Scratch: t.TempDir()}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		m := newToy(1)
		defer m.free()
		steps := 0
		task := before(m.task(), func() {
			if steps++; steps == 9 { // step 9 is inside the second epoch
				cancel()
			}
		})
		if _, err := loop.Train(ctx, task); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the training was not cut: %w", err)
		}
		again := newToy(2)
		defer again.free()
		got, err := loop.Train(context.Background(), again.task())
		if err != nil {
			return err
		}
		for i, e := range got.Epochs {
			if w := want.Epochs[i]; math.Abs(e.TrainLoss-w.TrainLoss) > 1e-3*w.TrainLoss {
				t.Errorf("epoch %d: loss %.6f, without a break %.6f", i+1, e.TrainLoss, w.TrainLoss)
			}
		}
		return nil
	})
}

// TestCheckpointOfAnotherKind checks that training does not continue from a checkpoint of another
// device or precision, and that the error has advice.
func TestCheckpointOfAnotherKind(t *testing.T) {
	onTorch(t, func() error {
		scratch := t.TempDir()
		loop := Recipe{Training: recipe.Training{Epochs: 2}, Scratch: scratch}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		train := func(ctx context.Context) error {
			m := newToy(1)
			defer m.free()
			_, err := loop.Train(ctx, m.task())
			return err
		}
		if err := train(ctx); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the training was not cut: %w", err)
		}
		path := filepath.Join(scratch, stateFile)
		saved, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		edit := func(was, is string) error {
			text := strings.Replace(string(saved), was, is, 1)
			if text == string(saved) {
				return fmt.Errorf("the checkpoint has no %s: %s", was, saved)
			}
			text, _, _ = strings.Cut(text, `,"seal":`)
			return os.WriteFile(path, fmt.Appendf([]byte(text), sealFormat, sha256.Sum256([]byte(text))), 0o600)
		}
		begun := func(want recipe.Precision) {
			if got := BegunIn(scratch); got != want {
				t.Errorf("a checkpoint in %q is said to be in %q", want, got)
			}
		}
		begun(recipe.FP32)
		if err := edit(`"precision":"fp32"`, `"precision":"bf16"`); err != nil {
			return err
		}
		begun(recipe.BF16)
		if err := train(context.Background()); err == nil ||
			!strings.Contains(err.Error(), `set its precision to "bf16"`) ||
			!strings.Contains(err.Error(), "remove the folder") {
			t.Errorf("a checkpoint in bfloat16: error %v", err)
		}
		if err := edit(`"device":"cpu"`, `"device":"cuda"`); err != nil {
			return err
		}
		if err := train(context.Background()); err == nil || !strings.Contains(err.Error(), "--devices cuda") ||
			!strings.Contains(err.Error(), "remove the folder") {
			t.Errorf("a checkpoint of CUDA: error %v", err)
		}
		if err := os.WriteFile(path, saved, 0o600); err != nil {
			return err
		}
		return train(context.Background())
	})
}
