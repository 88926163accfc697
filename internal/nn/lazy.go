package nn

import (
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// On a CUDA device to read a number is to wait for all that was queued, so that the device idles while the next step is prepared. There
// losses and norms are read once in readEvery steps.
const readEvery = 20

// unread is what a step left on the device: the loss, and the norm of each player's gradient.
type unread struct {
	loss  *torch.Tensor
	norms []*torch.Tensor
}

func (u unread) free() {
	u.loss.Free()
	for _, n := range u.norms {
		n.Free()
	}
}

// stepLazy is step without waiting for the device; what is not finite is found when it is read. Such a step changes no weight.
func (s *state) stepLazy(task Task, passes []Pass) error {
	var u unread
	err := torch.Scoped(func() error {
		for _, pass := range passes {
			loss := pass().Detach().Scale(1 / float64(len(passes)))
			if u.loss != nil {
				loss = u.loss.Add(loss)
			}
			u.loss = loss
		}
		u.loss.Own()
		for _, o := range task.Optimizers {
			u.norms = append(u.norms, o.stepLazy(len(passes)).Own())
		}
		return nil
	})
	if err != nil {
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
