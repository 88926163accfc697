package nn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Task is what a model gives the training loop.
type Task struct {
	Optimizers []*Adam                    // all of them, in a fixed order; their Params are the state to keep
	Batches    func(epoch int) [][]int    // the epoch's batches: indices of items; a function of the seed and epoch alone
	Prepare    func(batch []int) Pass     // makes a batch ready, without tensors: another goroutine calls it, ahead of the passes
	Validate   func() (Validation, error) // on the dev set, gradients off
}

// Pass goes forward and backward over one batch, adding to the parameters' gradients, and returns the batch's mean loss, a scalar.
type Pass func() *torch.Tensor

// Validation is a model's figures on the dev set.
type Validation struct {
	Loss     float64 `json:"loss"`               // decides which epoch is kept
	Accuracy float64 `json:"accuracy,omitempty"` // percent
	Conicity float64 `json:"conicity,omitempty"`
}

// Loop says how long to train and where to keep what.
type Loop struct {
	Epochs     int
	MaxSteps   int  // 0 = no bound
	Accumulate int  // batches whose gradients are averaged for one step; 0 = 1
	Patience   int  // epochs without a better dev loss, 0 = never stop early
	KeepLast   bool // end with the last weights instead of those of the best dev loss
	BF16       bool // what Prepare's passes compute in; a checkpoint of the other precision is refused
	Scratch    string
	Every      time.Duration // between checkpoints; 0 = five minutes
	Progress   func(done, total int, note string)
}

// Epoch is one line of a training history.
type Epoch struct {
	Epoch     int        `json:"epoch"`
	Steps     int        `json:"steps"` // since the start
	TrainLoss float64    `json:"train_loss"`
	Dev       Validation `json:"dev"`
	Seconds   float64    `json:"seconds"`
}

// History is what Train did.
type History struct {
	Epochs  []Epoch `json:"epochs"`
	Best    int     `json:"best"` // index of the epoch kept
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
}

// Kept returns the figures of the epoch whose weights the model ends with.
func (h *History) Kept() Epoch { return h.Epochs[h.Best] }

// Train runs the loop on the torch thread. It goes on from a checkpoint in Scratch if there is one, bit by bit as if it had
// never stopped; on cancellation it leaves one and returns ctx.Err().
func Train(ctx context.Context, task Task, loop Loop) (*History, error) {
	s, err := restore(task, loop)
	if err != nil {
		return nil, err
	}
	defer s.free()
	every := loop.Every
	if every == 0 {
		every = 5 * time.Minute
	}
	saved := time.Now()
	// A checkpoint inside an epoch is gone on from to the end of it, whatever stop says: the epoch is not validated yet.
	for ; s.Epoch < loop.Epochs && (s.Position > 0 || !s.stop(loop)); s.Epoch++ {
		steps := slices.Collect(slices.Chunk(task.Batches(s.Epoch), max(1, loop.Accumulate)))
		if len(steps) == 0 {
			return nil, fmt.Errorf("training: there are no batches")
		}
		ready, stop := ahead(task, steps[min(s.Position, len(steps)):])
		defer stop()
		for ; s.Position < len(steps); s.Position++ {
			if loop.MaxSteps > 0 && s.Steps >= loop.MaxSteps {
				break
			}
			if ctx.Err() != nil || time.Since(saved) > every {
				if err := s.read(); err != nil {
					return nil, firstBad(task, err)
				}
				if err := s.save(task, loop); err != nil {
					return nil, err
				}
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				saved = time.Now()
			}
			step := s.step
			if torch.OnCUDA() {
				step = s.stepLazy
			}
			if err := step(task, <-ready); err != nil {
				return nil, err
			}
			if loop.Progress != nil {
				loop.Progress(s.Epoch*len(steps)+s.Position+1, total(loop, len(steps)),
					s.note(loop))
			}
		}
		stop()
		if err := s.read(); err != nil {
			return nil, firstBad(task, err)
		}
		if err := s.endEpoch(task, loop); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
				if e := s.save(task, loop); e != nil {
					err = e
				}
			}
			return nil, err
		}
	}
	if !loop.KeepLast {
		s.restoreBest(task)
	}
	h := s.History
	h.Steps, h.Seconds = s.Steps, s.elapsed()
	return &h, nil
}

// note says where the training is, with the epoch's mean loss as far as it was read.
func (s *state) note(loop Loop) string {
	if s.LossCount == 0 {
		return fmt.Sprintf("epoch %d/%d", s.Epoch+1, loop.Epochs)
	}
	return fmt.Sprintf("epoch %d/%d loss %.3f", s.Epoch+1, loop.Epochs, s.LossSum/s.LossCount)
}

func total(loop Loop, batches int) int {
	n := loop.Epochs * batches
	if loop.MaxSteps > 0 {
		n = min(n, loop.MaxSteps)
	}
	return n
}

// ahead prepares the steps' batches on another goroutine, two steps ahead at most. A panic there is the first pass's. stop ends it and
// waits until Prepare is no longer called; it may be called twice.
func ahead(task Task, steps [][][]int) (ready <-chan []Pass, stop func()) {
	out, done := make(chan []Pass, 1), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for _, batches := range steps {
			select {
			case out <- prepare(task, batches):
			case <-done:
				return
			}
		}
	})
	return out, sync.OnceFunc(func() {
		close(done)
		running.Wait()
	})
}

func prepare(task Task, batches [][]int) (passes []Pass) {
	defer func() {
		if p := recover(); p != nil {
			passes = []Pass{func() *torch.Tensor { panic(p) }}
		}
	}()
	for _, b := range batches {
		passes = append(passes, task.Prepare(b))
	}
	return passes
}

// step is one update of all parameters. It watches for values that are not finite.
func (s *state) step(task Task, passes []Pass) error {
	var loss float64
	err := torch.Scoped(func() error {
		for _, pass := range passes {
			if err := torch.Scoped(func() error { loss += pass().Item() / float64(len(passes)); return nil }); err != nil {
				return err
			}
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("the loss is %v at step %d; lower lr or set clip", loss, s.Steps+1)
		}
		for _, o := range task.Optimizers {
			if _, err := o.Step(len(passes)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return firstBad(task, err)
	}
	s.Steps++
	s.LossSum += loss
	s.LossCount++
	return nil
}

// firstBad adds the name of the first parameter that is not finite, if one is.
func firstBad(task Task, err error) error {
	for _, o := range task.Optimizers {
		var name string
		if e := torch.Scoped(func() error { name = o.Params.FirstBad(); return nil }); e == nil && name != "" {
			return fmt.Errorf("%w (the first bad parameter is %s)", err, name)
		}
	}
	return err
}

func (s *state) endEpoch(task Task, loop Loop) error {
	var dev Validation
	err := torch.NoGrad(func() (err error) {
		dev, err = task.Validate()
		return err
	})
	if err != nil {
		return fmt.Errorf("validating epoch %d: %w", s.Epoch+1, err)
	}
	h := &s.History
	h.Epochs = append(h.Epochs, Epoch{
		Epoch: s.Epoch + 1, Steps: s.Steps, Dev: dev,
		TrainLoss: s.LossSum / max(s.LossCount, 1), Seconds: s.elapsed(),
	})
	s.Position, s.LossSum, s.LossCount = 0, 0, 0
	if last := len(h.Epochs) - 1; loop.KeepLast || last == 0 || dev.Loss < h.Kept().Dev.Loss {
		h.Best = last
		if !loop.KeepLast {
			s.keepBest(task)
		}
	}
	return nil
}

// stop tells whether patience or the bound on steps has ended the training.
func (s *state) stop(loop Loop) bool {
	n := len(s.History.Epochs)
	if loop.Patience > 0 && n > 0 && n-1-s.History.Best >= loop.Patience {
		return true
	}
	return loop.MaxSteps > 0 && s.Steps >= loop.MaxSteps
}
