package nn

import (
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// On a CUDA device to read a number is to wait for all that was queued, so that the device idles
// while the next step is prepared. There losses and norms are read once in readEvery steps.
const readEvery = 20

// unread is what a step left on the device: the loss, and the norm of each optimizer's gradient.
type unread struct {
	loss  *torch.Tensor
	norms []*torch.Tensor
}

func (u unread) free() {
	if u.loss != nil {
		u.loss.Free()
	}
	for _, n := range u.norms {
		n.Free()
	}
}

// stepLazy is step without waiting for the device; what is not finite is found when it is read.
// Such a step changes no weight.
func (s *state) stepLazy(task Task, passes []Pass) error {
	var u unread
	err := torch.Scoped(func() error {
		loss, err := lossOnDevice(passes)
		if err != nil {
			return err
		}
		u.loss = loss.Own()
		for _, o := range task.Optimizers {
			u.norms = append(u.norms, o.stepLazy(len(passes)).Own())
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

// lossOnDevice makes the passes and returns the mean of their losses, a scalar that nobody has
// waited for. A pass keeps nothing else.
func lossOnDevice(passes []Pass) (mean *torch.Tensor, err error) {
	for _, pass := range passes {
		err := torch.Scoped(func() error {
			loss := pass().Detach().Scale(1 / float64(len(passes)))
			if mean != nil {
				loss = mean.Add(loss)
			}
			mean = loss.Keep()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return mean, nil
}

// read adds the losses of unread steps to the epoch's.
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
