package nn

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestLossOnDevice: the mean of the passes' losses, and every pass begins with as little alive as
// the first: what one made is gone. On a CPU the training loop reads losses at once, but the
// function is the same everywhere.
func TestLossOnDevice(t *testing.T) {
	onTorch(t, func() error {
		var live []int
		pass := func(x float64) Pass {
			return func() *torch.Tensor {
				live = append(live, torch.Live())
				y := torch.Ones(100)
				for range 10 {
					y = y.Scale(1)
				}
				return y.Sum().Scale(x / 100)
			}
		}
		return torch.Scoped(func() error {
			mean, err := lossOnDevice([]Pass{pass(1), pass(2), pass(6)})
			if err != nil {
				return err
			}
			if got := mean.Item(); math.Abs(got-3) > 1e-5 {
				t.Errorf("the mean of 1, 2 and 6 is %v", got)
			}
			if live[2] > live[0]+2 {
				t.Errorf("handles alive before each pass: %v", live)
			}
			return nil
		})
	})
}

// TestPrepareFails: what Prepare throws on its goroutine reaches the caller of Train, and Prepare
// is not called any more when Train is back.
func TestPrepareFails(t *testing.T) {
	broken := errors.New("broken")
	onTorch(t, func() error {
		m := newToy(1)
		defer m.free()
		task := m.task()
		calls := 0
		prepare := task.Prepare
		task.Prepare = func(batch []int) Pass {
			if calls++; calls == 3 {
				panic(broken)
			}
			return prepare(batch)
		}
		defer func() {
			if p := recover(); p != broken {
				t.Errorf("a panic with %v, want %v", p, broken)
			}
			if calls < 3 {
				t.Errorf("Prepare was called %d times", calls)
			}
		}()
		_, err := Recipe{Training: recipe.Training{Epochs: 1}}.Train(context.Background(), task)
		t.Errorf("the training came to an end: %v", err)
		return nil
	})
}
