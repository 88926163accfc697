package nn

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// counted returns a task with one weight, which grows by 1 in each step. An epoch has two steps.
// The arguments are the dev losses of the epochs.
func counted(dev ...float64) (Task, *Params) {
	p := NewParams()
	w := p.Add("w", torch.Zeros(1))
	o := NewAdam(p, recipe.Training{LR: 1, Beta1: .5})
	epoch := 0
	return Task{
		Optimizers: []*Adam{o},
		Batches:    func(int) [][]int { return [][]int{{0}, {1}} },
		Prepare: func([]int) Pass {
			return func() *torch.Tensor {
				w.Set(w.Detach().Add(torch.Ones(1)))
				return torch.Ones(1)
			}
		},
		Validate: func() (Validation, error) {
			epoch++
			return Validation{Loss: dev[epoch-1]}, nil
		},
	}, p
}

func TestLoopEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		loop   Recipe
		dev    []float64
		epochs int // number of epochs run
		best   int
		steps  int
		weight float64 // the kept weight, which is the number of steps that produced it
	}{
		{"best epoch", Recipe{Training: recipe.Training{Epochs: 4}}, []float64{5, 3, 4, 6}, 4, 1, 8, 4},
		{"equal losses: the first", Recipe{Training: recipe.Training{Epochs: 3}}, []float64{5, 5, 5}, 3, 0, 6, 2},
		{"last", Recipe{Training: recipe.Training{Epochs: 4}, KeepLast: true}, []float64{5, 3, 4, 6}, 4, 3, 8, 8},
		{"patience 1", Recipe{Training: recipe.Training{Epochs: 9, Patience: 1}}, []float64{5, 3, 4}, 3, 1, 6, 4},
		{
			"patience 2",
			Recipe{Training: recipe.Training{Epochs: 9, Patience: 2}},
			[]float64{5, 6, 4, 6, 7},
			5, 2, 10,
			6,
		},
		{
			"patience not used up",
			Recipe{Training: recipe.Training{Epochs: 3, Patience: 2}},
			[]float64{5, 6, 4},
			3, 2,
			6, 6,
		},
		{
			"a dev loss that is NaN",
			Recipe{Training: recipe.Training{Epochs: 3, Patience: 2}},
			[]float64{5, math.NaN(), 4},
			3, 2, 6, 6,
		},
		{
			"max steps inside an epoch",
			Recipe{Training: recipe.Training{Epochs: 9}, MaxSteps: 3},
			[]float64{5, 4},
			2,
			1, 3, 3,
		},
		{
			"max steps at an epoch's end",
			Recipe{Training: recipe.Training{Epochs: 9}, MaxSteps: 4},
			[]float64{5, 4},
			2, 1, 4, 4,
		},
		{"max steps beyond", Recipe{Training: recipe.Training{Epochs: 2}, MaxSteps: 99}, []float64{4, 5}, 2, 0, 4, 2},
	} {
		onTorch(t, func() error {
			task, p := counted(c.dev...)
			defer p.Free()
			last, total := 0, 0
			c.loop.Progress = func(done, of int, _ string) { last, total = done, of }
			h, err := c.loop.Train(context.Background(), task)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if len(h.Epochs) != c.epochs || h.Best != c.best || h.Steps != c.steps {
				t.Errorf(
					"%s: %d epochs, best %d, %d steps, want %d, %d, %d", c.name, len(h.Epochs), h.Best, h.Steps,
					c.epochs, c.best, c.steps,
				)
			}
			if got := p.All()[0].Item(); got != c.weight {
				t.Errorf("%s: ends with the weights of step %v, want %v", c.name, got, c.weight)
			}
			if h.Kept().Dev.Loss != c.dev[c.best] || h.Kept().TrainLoss != 1 {
				t.Errorf("%s: kept %+v", c.name, h.Kept())
			}
			if last != c.steps || total < last {
				t.Errorf("%s: progress ends at %d of %d", c.name, last, total)
			}
			return nil
		})
	}
}

func TestNoBatches(t *testing.T) {
	onTorch(t, func() error {
		task, p := counted(1)
		defer p.Free()
		task.Batches = func(int) [][]int { return nil }
		if _, err := (Recipe{Training: recipe.Training{Epochs: 1}}).Train(context.Background(), task); err == nil ||
			!strings.Contains(err.Error(),
				"no batches") {
			t.Errorf("error %v", err)
		}
		return nil
	})
}

// TestWatcher checks that a weight or gradient that is not finite ends the training run with an
// error, and that the error names the parameter.
func TestWatcher(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name  string
		spoil func(m *toy) // called before step 3
		want  []string
	}{
		{
			"a weight", func(m *toy) {
				m.params.All()[3].Set(torch.Ones(m.params.All()[3].Shape()...).Scale(math.NaN()))
			},
			[]string{"at step 3", "the first bad parameter is layer.self_attn.out_proj.weight"},
		},
		{
			"a gradient", func(m *toy) { m.out.B.Mul(torch.FromFloats([]float32{nan, 0}, 2)).Sum().Backward() },
			[]string{"the gradient of out.bias is not finite at step 3"},
		},
	} {
		onTorch(t, func() error {
			m := newToy(1)
			defer m.free()
			steps := 0
			task := before(m.task(), func() {
				if steps++; steps == 3 {
					c.spoil(m)
				}
			})
			_, err := Recipe{Training: recipe.Training{Epochs: 2}}.Train(context.Background(), task)
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, want …%s…", c.name, err, want)
				}
			}
			if steps != 3 {
				t.Errorf("%s: ended at step %d", c.name, steps)
			}
			return nil
		})
	}
	onTorch(t, func() error {
		for _, loss := range []float64{math.NaN(), math.Inf(1)} {
			task, p := counted(1)
			task.Prepare = func([]int) Pass {
				return func() *torch.Tensor { return torch.FromFloats([]float32{float32(loss)}, 1) }
			}
			if _, err := (Recipe{Training: recipe.Training{Epochs: 1}}).Train(context.Background(), task); err == nil ||
				!strings.Contains(err.Error(),
					"at step 1") {
				t.Errorf("loss %v: error %v", loss, err)
			}
			p.Free()
		}
		return nil
	})
}

// TestOpErrorInStep checks that Train returns a failure of libtorch as an *OpError.
func TestOpErrorInStep(t *testing.T) {
	onTorch(t, func() error {
		task, p := counted(1)
		defer p.Free()
		task.Prepare = func([]int) Pass {
			return func() *torch.Tensor { return torch.Ones(2).Add(torch.Ones(3)) }
		}
		var e *torch.OpError
		_, err := Recipe{Training: recipe.Training{Epochs: 1}}.Train(context.Background(), task)
		if !errors.As(err, &e) || e.Op != "add" {
			t.Errorf("error %v, want an *OpError of add", err)
		}
		return nil
	})
}

// TestSameSeedSameBits trains twice with the same seed and with dropout. The weights must be equal,
// bit by bit.
func TestSameSeedSameBits(t *testing.T) {
	onTorch(t, func() error {
		a, _, err := whole(Recipe{Training: recipe.Training{Epochs: 2}})
		if err != nil {
			return err
		}
		b, _, err := whole(Recipe{Training: recipe.Training{Epochs: 2}})
		if !reflect.DeepEqual(a, b) {
			t.Error("two trainings of one seed differ" + firstDifference(a, b))
		}
		return err
	})
}

// TestMemoryIsFlat checks that the number of live handles and the resident memory do not grow
// between steps 200 and 1,000.
func TestMemoryIsFlat(t *testing.T) {
	onTorch(t, func() error {
		before := torch.LiveHandles()
		m := newToy(1)
		task, steps := m.task(), 0
		var live [2]int
		var resident [2]float64
		at := map[int]int{200: 0, 1000: 1}
		r := Recipe{
			Training: recipe.Training{Epochs: 1000},
			MaxSteps: 1000,
			Progress: func(int, int, string) {
				if steps++; at[steps] != 0 || steps == 200 {
					live[at[steps]], resident[at[steps]] = torch.LiveHandles(), megabytes(t)
				}
			},
		}
		if _, err := r.Train(context.Background(), task); err != nil {
			return err
		}
		t.Logf(
			"live handles %d and %d, resident %.1f and %.1f MB after 200 and 1,000 steps", live[0], live[1],
			resident[0], resident[1],
		)
		if live[0] == 0 || live[0] != live[1] {
			t.Errorf("%d handles live after 200 steps, %d after 1,000", live[0], live[1])
		}
		if grown := resident[1] - resident[0]; grown > max(4, .03*resident[0]) {
			t.Errorf("resident memory grew by %.1f MB from %.1f MB", grown, resident[0])
		}
		m.free()
		// Tensors that newToy and Train created in this scope may still exist, but all parameters,
		// moments and copies of the best weights must have been freed.
		if now := torch.LiveHandles(); now > before+3*len(m.params.All()) {
			t.Errorf("%d handles live at the end, %d before", now, before)
		}
		return nil
	})
}

// megabytes returns the resident memory of this process (VmRSS).
func megabytes(t *testing.T) float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Error(err)
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb float64
		if n, _ := fmt.Sscanf(s.Text(), "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	t.Error("/proc/self/status has no VmRSS")
	return 0
}

// TestDecay checks how the learning rate falls. The gradient is always 1, so a step of Adam moves
// the weight by the learning rate.
func TestDecay(t *testing.T) {
	for _, c := range []struct {
		how      recipe.Training
		batches  [2]int // number of batches in each epoch
		maxSteps int
		want     []float64 // step sizes; without decay, a step has size 10
	}{
		{recipe.Training{Epochs: 2}, [2]int{5, 5}, 0, []float64{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}},
		{recipe.Training{Epochs: 2, Decay: 1}, [2]int{5, 5}, 0, []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
		{recipe.Training{Epochs: 2, Decay: .5}, [2]int{5, 5}, 0, []float64{10, 10, 10, 10, 10, 10, 8, 6, 4, 2}},
		{recipe.Training{Epochs: 2, Decay: 1}, [2]int{5, 5}, 4, []float64{10, 7.5, 5, 2.5}},
		{recipe.Training{Epochs: 2, Decay: 1}, [2]int{3, 2}, 0, []float64{10, 8, 6, 4, 2}},
		{recipe.Training{Epochs: 2, Decay: 1}, [2]int{2, 3}, 0, []float64{10, 8, 6, 4, 2}},
	} {
		onTorch(t, func() error {
			p := NewParams()
			defer p.Free()
			w := p.Add("w", torch.Zeros(1))
			c.how.LR, c.how.Beta1 = .1, .5
			o := NewAdam(p, c.how)
			defer o.Free()
			var at []float64 // values of the weight before each step
			_, err := Recipe{Training: c.how, MaxSteps: c.maxSteps, KeepLast: true}.Train(t.Context(), Task{
				Optimizers: []*Adam{o},
				Batches:    func(epoch int) [][]int { return slices.Repeat([][]int{{0}}, c.batches[epoch]) },
				Prepare: func([]int) Pass {
					return func() *torch.Tensor {
						if now := w.Item(); len(at) == 0 || now != at[len(at)-1] {
							at = append(at, now)
						}
						loss := w.Sum()
						loss.Backward()
						return loss
					}
				},
				Validate: func() (Validation, error) { return Validation{}, nil },
			})
			at = append(at, w.Item())
			if len(at) != len(c.want)+1 {
				t.Errorf("%+v: weights %v, want %d steps", c.how, at, len(c.want))
				return err
			}
			for i, want := range c.want {
				if got := (at[i] - at[i+1]) * 100; math.Abs(got-want) > 1e-3 {
					t.Errorf("%+v, at most %d steps: step %d moves by %v, want %v", c.how, c.maxSteps, i+1, got, want)
				}
			}
			return err
		})
	}
}

// TestPrepareFails checks that a panic of Prepare, which runs on another goroutine, reaches the
// caller of Train. Under the race detector, it also checks that Prepare has ended by then.
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
