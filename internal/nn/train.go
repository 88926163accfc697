package nn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Recipe says how a model is trained. Precision is fp32 (or "", which means the same) or bf16. With
// bf16, matrix products are computed in bfloat16; weights and everything else are float32.
type Recipe struct {
	recipe.Training
	Seed     uint64
	MaxSteps int           // maximum number of steps; 0 means no limit
	KeepLast bool          // keep the last weights instead of those with the lowest dev loss
	Scratch  string        // folder of checkpoints; "" saves none
	Every    time.Duration // time between checkpoints; 0 means five minutes
	Progress func(done, total int, note string)
	Ended    func([]Epoch) // called after each epoch with all epochs so far; may be nil
}

// precision returns the precision of the training run. A run continues only from checkpoints of the
// same precision.
func (r Recipe) precision() recipe.Precision { return cmp.Or(r.Precision, recipe.FP32) }

// Autocast runs f with matrix products in the recipe's precision.
func (r Recipe) Autocast(f func()) { torch.Autocast(r.Precision == recipe.BF16, f) }

// Pass returns a Pass that computes the loss in the recipe's precision, and then the gradients.
func (r Recipe) Pass(loss func() *torch.Tensor) Pass {
	return func() (l *torch.Tensor) {
		r.Autocast(func() { l = loss() })
		l.Backward()
		return l
	}
}

// Shuffled returns a function for Task.Batches. It draws an epoch's batches from items of the given
// lengths.
func (r Recipe) Shuffled(lengths []int) func(epoch int) [][]int {
	return func(epoch int) [][]int { return items(corpus.Batches(lengths, r.BatchTokens, r.Seed, epoch)) }
}

// Task is what a model provides to Train.
type Task struct {
	Optimizers []*Adam // in a fixed order; checkpoints hold their Params
	// Batches returns an epoch's batches as indices of items. It must depend only on the seed and
	// the epoch. Train first calls it for every epoch, to count the steps.
	Batches func(epoch int) [][]int
	// Prepare prepares a batch. It must not use tensors, because it is called on another goroutine,
	// before the pass.
	Prepare func(batch []int) Pass
	// Validate measures the model on the dev set. It is called with gradients off.
	Validate func() (Validation, error)
}

// Pass is a forward and backward pass over one batch. It adds to the parameters' gradients and
// returns the batch's mean loss, a scalar.
type Pass func() *torch.Tensor

// Validation is a result on the dev set.
type Validation struct {
	Loss     float64 `json:"loss"`               // decides which epoch is kept
	Accuracy float64 `json:"accuracy,omitempty"` // in percent
	Conicity float64 `json:"conicity,omitempty"`
}

// Epoch is one line of a training history.
type Epoch struct {
	Epoch     int        `json:"epoch"`
	Steps     int        `json:"steps"` // number of steps since the start
	TrainLoss float64    `json:"train_loss"`
	Dev       Validation `json:"dev"`
	Seconds   float64    `json:"seconds"`
}

// History records a training run.
type History struct {
	Epochs  []Epoch `json:"epochs"`
	Best    int     `json:"best"` // index of the epoch whose weights are kept
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
}

// Kept returns the epoch whose weights the trained model has.
func (h *History) Kept() Epoch { return h.Epochs[h.Best] }

// Train trains a model on the torch thread. If there is a checkpoint in Scratch, Train continues
// from it, with bit-identical results. On cancellation, it saves a checkpoint and returns
// ctx.Err().
func (r Recipe) Train(ctx context.Context, task Task) (*History, error) {
	s, err := restore(task, r)
	if err != nil {
		return nil, err
	}
	defer s.free()
	s.total = r.countSteps(task)
	// An epoch that was interrupted is completed even if stop returns true, because it has not been
	// validated yet.
	for ; s.Epoch < r.Epochs && (s.Position > 0 || !s.stop(r)); s.Epoch++ {
		if err := s.epoch(ctx, task, r); err != nil {
			return nil, err
		}
	}
	if !r.KeepLast {
		s.restoreBest(task)
	}
	h := s.History
	h.Steps, h.Seconds = s.Steps, s.elapsed()
	return &h, nil
}

// epoch does the remaining steps of the current epoch and then validates the model.
func (s *state) epoch(ctx context.Context, task Task, r Recipe) error {
	batches := task.Batches(s.Epoch)
	if len(batches) == 0 {
		return fmt.Errorf("training: there are no batches")
	}
	if err := s.steps(ctx, task, r, batches); err != nil {
		return err
	}
	if err := s.read(); err != nil {
		return firstBad(task, err)
	}
	err := s.endEpoch(task, r)
	if err != nil && ctx.Err() != nil {
		if err := s.save(task, r); err != nil {
			return err
		}
		return ctx.Err()
	}
	return err
}

// steps does one training step for each batch of an epoch, beginning with batch number Position. It
// saves a checkpoint from time to time and when ctx is cancelled.
func (s *state) steps(ctx context.Context, task Task, r Recipe, batches [][]int) error {
	ready, stop := prepareAhead(task, batches[min(s.Position, len(batches)):])
	defer stop()
	step := s.step
	if torch.OnCUDA() {
		step = s.stepLazy
	}
	for ; s.Position < len(batches) && (r.MaxSteps == 0 || s.Steps < r.MaxSteps); s.Position++ {
		if ctx.Err() != nil || time.Since(s.saved) > cmp.Or(r.Every, 5*time.Minute) {
			if err := s.read(); err != nil {
				return firstBad(task, err)
			}
			if err := s.save(task, r); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.saved = time.Now()
		}
		for _, o := range task.Optimizers {
			o.Share = r.share(s.Steps, s.total)
		}
		if err := step(task, <-ready); err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress(s.Steps, s.total, s.note(r))
		}
	}
	return nil
}

// note describes the progress. The loss is the mean over those steps of this epoch whose losses
// have been fetched from the device.
func (s *state) note(r Recipe) string {
	if s.LossCount == 0 {
		return fmt.Sprintf("epoch %d/%d", s.Epoch+1, r.Epochs)
	}
	return fmt.Sprintf("epoch %d/%d loss %.3f", s.Epoch+1, r.Epochs, s.LossSum/s.LossCount)
}

// share returns the factor on the learning rate, given how many steps are done and planned.
func (r Recipe) share(done, planned int) float64 {
	if r.Decay == 0 {
		return 1
	}
	return max(0, min(1, float64(planned-done)/(r.Decay*float64(planned))))
}

// countSteps returns the number of steps of all epochs, at most MaxSteps. The number of batches may
// vary between epochs.
func (r Recipe) countSteps(task Task) (n int) {
	for epoch := range r.Epochs {
		n += len(task.Batches(epoch))
		if r.MaxSteps > 0 && n >= r.MaxSteps {
			return r.MaxSteps
		}
	}
	return n
}

// prepareAhead prepares batches on another goroutine, at most two ahead of their passes. If
// Task.Prepare panics, the Pass of that batch panics instead. The function stop ends the goroutine
// and waits for it.
func prepareAhead(task Task, batches [][]int) (ready <-chan Pass, stop func()) {
	out, done := make(chan Pass, 1), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for _, batch := range batches {
			select {
			case out <- prepare(task, batch):
			case <-done:
				return
			}
		}
	})
	return out, func() {
		close(done)
		running.Wait()
	}
}

func prepare(task Task, batch []int) (pass Pass) {
	defer func() {
		if p := recover(); p != nil {
			pass = func() *torch.Tensor { panic(p) }
		}
	}()
	return task.Prepare(batch)
}

// step updates all parameters once. A loss or gradient that is not finite is an error.
func (s *state) step(task Task, pass Pass) error {
	var loss float64
	err := torch.Scoped(func() error {
		loss = pass().Item()
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("the loss is %v at step %d; lower lr or set clip", loss, s.Steps+1)
		}
		for _, o := range task.Optimizers {
			if _, err := o.Step(); err != nil {
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

// firstBad adds to err the name of the first parameter that is not finite, if there is one.
func firstBad(task Task, err error) error {
	for _, o := range task.Optimizers {
		var name string
		if e := torch.Scoped(func() error { name = o.Params.FirstBad(); return nil }); e == nil && name != "" {
			return fmt.Errorf("%w (the first bad parameter is %s)", err, name)
		}
	}
	return err
}

func (s *state) endEpoch(task Task, r Recipe) error {
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
	if last := len(h.Epochs) - 1; r.KeepLast || last == 0 || dev.Loss < h.Kept().Dev.Loss {
		h.Best = last
		if !r.KeepLast {
			s.keepBest(task)
		}
	}
	if r.Ended != nil {
		r.Ended(h.Epochs)
	}
	return nil
}

// stop reports whether Patience or MaxSteps ends the training run.
func (s *state) stop(r Recipe) bool {
	n := len(s.History.Epochs)
	if r.Patience > 0 && n > 0 && n-1-s.History.Best >= r.Patience {
		return true
	}
	return r.MaxSteps > 0 && s.Steps >= r.MaxSteps
}

// readEvery is the number of steps between two reads of losses and norms from a CUDA device. Reads
// are rare, because each waits for the device, which then idles while the next step is prepared.
const readEvery = 20

// unreadStep holds results of a step that are still on the device: the loss, and the gradient norm
// of each optimizer.
type unreadStep struct {
	loss  *torch.Tensor
	norms []*torch.Tensor
}

func (u unreadStep) free() {
	if u.loss != nil {
		u.loss.Free()
	}
	for _, n := range u.norms {
		n.Free()
	}
}

// stepLazy does the same as the method step, but does not wait for the device. A loss or norm that
// is not finite is found later, when the method read fetches it. If a norm is not finite, no weight
// changes.
func (s *state) stepLazy(task Task, pass Pass) error {
	var u unreadStep
	err := torch.Scoped(func() error {
		u.loss = pass().Detach().Own()
		for _, o := range task.Optimizers {
			u.norms = append(u.norms, o.stepLazy().Own())
		}
		return nil
	})
	if err != nil {
		u.free()
		return firstBad(task, err)
	}
	s.Steps++
	if s.unread = append(s.unread, u); len(s.unread) == readEvery {
		if err := s.read(); err != nil {
			return firstBad(task, err)
		}
	}
	return nil
}

// read fetches the losses of the unread steps from the device and adds them to the epoch's sum.
func (s *state) read() error {
	return torch.NoGrad(func() error {
		first := s.Steps - len(s.unread) + 1
		for i, u := range s.unread {
			loss := u.loss.Item()
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return fmt.Errorf("the loss is %v at step %d; lower lr or set clip", loss, first+i)
			}
			for _, n := range u.norms {
				if norm := n.Item(); math.IsNaN(norm) || math.IsInf(norm, 0) {
					return fmt.Errorf("a gradient is not finite at step %d; lower lr or set clip", first+i)
				}
			}
			s.LossSum += loss
			s.LossCount++
		}
		for _, u := range s.unread {
			u.free()
		}
		s.unread = nil
		return nil
	})
}
