package nn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

const toyEpochs = 4

// whole trains a toy model without interruption. It returns the bits of the weights and moments,
// and the history.
func whole(loop Recipe) (map[string][]uint32, *History, error) {
	m := newToy(1)
	defer m.free()
	h, err := loop.Train(context.Background(), m.task())
	return m.bits(), h, err
}

// withoutTimes returns the history without the values that come from a clock.
func withoutTimes(h *History) History {
	c := *h
	c.Seconds = 0
	c.Epochs = nil
	for _, e := range h.Epochs {
		e.Seconds = 0
		c.Epochs = append(c.Epochs, e)
	}
	return c
}

// TestResumeIsBitIdentical interrupts a training run repeatedly and resumes it each time in a model
// with other weights. The final weights, moments and history must be those of an uninterrupted run.
// Dropout is on, so the state of the random generator matters.
func TestResumeIsBitIdentical(t *testing.T) {
	for _, base := range []Recipe{
		{Training: recipe.Training{Epochs: toyEpochs}},
		{Training: recipe.Training{Epochs: toyEpochs}, KeepLast: true},
		{Training: recipe.Training{Epochs: toyEpochs}, MaxSteps: 15},
		{Training: recipe.Training{Epochs: toyEpochs, Decay: .7}},
	} {
		t.Run(fmt.Sprintf(
			"keep last %v, max steps %d, decay %v", base.KeepLast, base.MaxSteps, base.Decay,
		), func(t *testing.T) {
			onTorch(t, func() error {
				want, wantHistory, err := whole(base)
				if err != nil {
					return err
				}
				// The variable "every" is the number of steps between two cancellations. An epoch
				// has about six steps.
				for _, every := range []int{1, 4, 6, 11} {
					loop := base
					loop.Scratch = t.TempDir()
					var told []Epoch
					loop.Ended = func(epochs []Epoch) { told = slices.Clone(epochs) }
					got, h, starts, err := inPieces(loop, every)
					if err != nil {
						return err
					}
					if starts < wantHistory.Steps/every {
						t.Errorf("cancelled every %d steps, the training was begun only %d times", every, starts)
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("cancelled every %d steps: other bits%s", every, firstDifference(got, want))
					}
					if !reflect.DeepEqual(told, h.Epochs) {
						t.Errorf("cancelled every %d steps: epochs told %+v, want %+v", every, told, h.Epochs)
					}
					if !reflect.DeepEqual(withoutTimes(h), withoutTimes(wantHistory)) {
						t.Errorf("cancelled every %d steps: history\n%+v, want\n%+v", every, h, wantHistory)
					}
				}
				return nil
			})
		})
	}
}

func firstDifference(a, b map[string][]uint32) string {
	for name := range b {
		if !reflect.DeepEqual(a[name], b[name]) {
			return " in " + name
		}
	}
	return ""
}

// inPieces interrupts the training run after the given number of steps and resumes it, again and
// again until the run ends.
func inPieces(loop Recipe, every int) (map[string][]uint32, *History, int, error) {
	for start := 1; ; start++ {
		if start > 100 {
			return nil, nil, start, errors.New("the training never ends")
		}
		m := newToy(uint64(start))
		ctx, cancel := context.WithCancel(context.Background())
		done := 0
		loop.Progress = func(int, int, string) {
			if done++; done == every {
				cancel()
			}
		}
		h, err := loop.Train(ctx, m.task())
		cancel()
		b := m.bits()
		m.free()
		if !errors.Is(err, context.Canceled) {
			return b, h, start, err
		}
	}
}

// TestCancelledInValidation checks that an interruption during validation does not lose the steps
// of the epoch, even if the step limit has been reached.
func TestCancelledInValidation(t *testing.T) {
	for _, base := range []Recipe{
		{Training: recipe.Training{Epochs: 2}}, {Training: recipe.Training{Epochs: 2}, MaxSteps: 3},
	} {
		onTorch(t, func() error {
			want, wantHistory, err := whole(base)
			if err != nil {
				return err
			}
			loop := base
			loop.Scratch = t.TempDir()
			m := newToy(1)
			defer m.free()
			ctx, cancel := context.WithCancel(context.Background())
			task := m.task()
			task.Validate = func() (Validation, error) { cancel(); return Validation{}, ctx.Err() }
			if _, err := loop.Train(ctx, task); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want context.Canceled", err)
			}
			again := newToy(9)
			defer again.free()
			steps := 0
			task = before(again.task(), func() { steps++ })
			h, err := loop.Train(context.Background(), task)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(again.bits(), want) ||
				!reflect.DeepEqual(withoutTimes(h), withoutTimes(wantHistory)) {
				t.Errorf("max steps %d: not as without a break: %+v, want %+v", base.MaxSteps, h, wantHistory)
			}
			if lost := steps - (wantHistory.Steps - wantHistory.Epochs[0].Steps); lost != 0 {
				t.Errorf("max steps %d: %d steps were done again", base.MaxSteps, lost)
			}
			return nil
		})
	}
}

// TestCrash checks that a training run resumes after a step failed. Recipe.Every is so short that
// the run saves a checkpoint before each step. Only the newest tensors must be kept.
func TestCrash(t *testing.T) {
	onTorch(t, func() error {
		want, _, err := whole(Recipe{Training: recipe.Training{Epochs: toyEpochs}})
		if err != nil {
			return err
		}
		loop := Recipe{Training: recipe.Training{Epochs: toyEpochs}, Scratch: t.TempDir(), Every: time.Nanosecond}
		m := newToy(1)
		defer m.free()
		steps := 0
		task := before(m.task(), func() {
			if steps++; steps == 9 {
				torch.Ones(2).Add(torch.Ones(3)) // fails, because the shapes differ
			}
		})
		var crash *torch.OpError
		if _, err := loop.Train(context.Background(), task); !errors.As(err, &crash) {
			t.Errorf("error %v, want the step's", err)
		}
		if files, _ := filepath.Glob(filepath.Join(loop.Scratch, "*.safetensors")); len(files) != 1 {
			t.Errorf("the scratch folder holds %v, want the newest tensors alone", files)
		}
		again := newToy(9)
		defer again.free()
		if _, err := loop.Train(context.Background(), again.task()); err != nil {
			return err
		}
		if got := again.bits(); !reflect.DeepEqual(got, want) {
			t.Errorf("other bits than without a crash%s", firstDifference(got, want))
		}
		return nil
	})
}

// TestBadCheckpoint checks that a damaged checkpoint is an error and does not make the training
// start from scratch.
func TestBadCheckpoint(t *testing.T) {
	onTorch(t, func() error {
		for name, spoil := range map[string]func(dir, tensors string) error{
			"state": func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, stateFile), []byte("{"), 0o600) },
			"a count": func(dir, _ string) error {
				path := filepath.Join(dir, stateFile)
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				return os.WriteFile(path, bytes.Replace(text, []byte(`"epoch":`), []byte(`"epoch":1`), 1), 0o600)
			},
			// The state has a valid seal, which anyone can compute, but names a file outside the
			// folder. It must be refused, because training deletes the file that the state names.
			"a file elsewhere": func(dir, tensors string) error {
				elsewhere := filepath.Join(filepath.Dir(dir), "elsewhere.safetensors")
				text, err := os.ReadFile(filepath.Join(dir, stateFile))
				if err != nil {
					return err
				}
				s := new(state)
				if err := errors.Join(s.unseal(text), os.Rename(tensors, elsewhere)); err != nil {
					return err
				}
				s.Tensors = "../elsewhere.safetensors"
				if text, err = s.sealed(); err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(dir, stateFile), text, 0o600)
			},
			"no seal": func(dir, _ string) error {
				path := filepath.Join(dir, stateFile)
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text, _, _ = bytes.Cut(text, []byte(`,"seal":`))
				return os.WriteFile(path, append(text, '}'), 0o600)
			},
			"no file":  func(_, tensors string) error { return os.Remove(tensors) },
			"half":     func(_, tensors string) error { return os.Truncate(tensors, 1000) },
			"an empty": func(_, tensors string) error { return os.Truncate(tensors, 0) },
			"a bit": func(_, tensors string) error {
				text, err := os.ReadFile(tensors)
				if err != nil {
					return err
				}
				text[len(text)-5] ^= 1 // a byte of a weight: only the checksum reveals the change
				return os.WriteFile(tensors, text, 0o600)
			},
		} {
			loop := Recipe{Training: recipe.Training{Epochs: toyEpochs}, Scratch: t.TempDir()}
			m := newToy(1)
			ctx, cancel := context.WithCancel(context.Background())
			loop.Progress = func(done, _ int, _ string) {
				if done == 8 {
					cancel()
				}
			}
			_, err := loop.Train(ctx, m.task())
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want context.Canceled", err)
			}
			files, _ := filepath.Glob(filepath.Join(loop.Scratch, "*.safetensors"))
			if len(files) != 1 {
				t.Errorf("the scratch folder holds %v", files)
				return nil
			}
			if err := spoil(loop.Scratch, files[0]); err != nil {
				return err
			}
			_, err = loop.Train(context.Background(), m.task())
			if err == nil || !strings.Contains(err.Error(), "remove the folder") ||
				!strings.Contains(err.Error(), loop.Scratch) {
				t.Errorf("%s: error %v, want what to do", name, err)
			}
			m.free()
		}
		return nil
	})
}
