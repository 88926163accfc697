package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// modelTask trains a model or transfers with it.
type modelTask struct {
	c       benchCase
	model   benchModel
	batches func(epoch int) [][]int
	lengths []int
	loop    *loop // of the training, once it runs
}

func newModelTask(c benchCase) (*modelTask, error) {
	s, err := readSentences(c.Data)
	if err != nil {
		return nil, err
	}
	t := &modelTask{c: c, lengths: nn.Lengths(s.IDs)}
	t.batches = c.Recipe().Shuffled(t.lengths)
	err = torch.Run(func() error {
		torch.Seed(c.Seed)
		t.model = newModel(c, s)
		for i, path := range c.Weights {
			if err := t.model.Params[i].Load(path); err != nil {
				return err
			}
		}
		if len(c.Weights) == 0 && t.model.Prepare != nil {
			return t.model.Prepare(context.Background())
		}
		return nil
	})
	if c.Task == "transfer" && t.model.Transfer == nil {
		err = fmt.Errorf("%s does not transfer", c.Model)
	}
	return t, err
}

// steps is the number of batches of an epoch.
func (t *modelTask) steps() int {
	if t.c.Task != "train" {
		return 0
	}
	return len(t.batches(0))
}

func (t *modelTask) run(n int) (reply, error) {
	if t.c.Task == "transfer" {
		start := time.Now()
		for range n {
			if _, err := t.outputs(); err != nil {
				return reply{}, err
			}
		}
		return reply{Seconds: time.Since(start).Seconds()}, nil
	}
	if t.loop == nil {
		var err error
		if t.loop, err = startLoop(t.model, t.c); err != nil {
			return reply{}, err
		}
	}
	seconds, from, err := t.loop.steps(n)
	return reply{Seconds: seconds, Words: t.words(from, n)}, err
}

// words counts those of n batches of a training, the first being batch from since its start.
func (t *modelTask) words(from, n int) int {
	sum, an := 0, t.steps()
	var batches [][]int
	for i := from; i < from+n; i++ {
		if batches == nil || i%an == 0 {
			batches = t.batches(i / an)
		}
		for _, item := range batches[i%an] {
			sum += t.lengths[item]
		}
	}
	return sum
}

func (t *modelTask) outputs() (a reply, err error) {
	err = torch.Run(func() error {
		a.Outputs, err = t.model.Transfer(context.Background())
		return err
	})
	return a, err
}

// losses trains on the sentences as one batch, and returns the loss at each of n steps.
func (t *modelTask) losses(n int) (a reply, err error) {
	if t.steps() != 1 {
		return a, fmt.Errorf("losses wants one batch, the data make %d", t.steps())
	}
	r := t.c.Recipe()
	r.Epochs = n
	err = torch.Run(func() error {
		h, err := t.model.Train(context.Background(), r)
		if err != nil {
			return err
		}
		for _, e := range h.Epochs {
			a.Losses = append(a.Losses, e.TrainLoss)
		}
		return nil
	})
	return a, err
}

// evaluate returns the loss over all sentences, whatever their lengths.
func (t *modelTask) evaluate() (a reply, err error) {
	err = torch.Run(func() error {
		v, err := t.model.Evaluate(context.Background())
		a.Losses = []float64{v.Loss}
		return err
	})
	return a, err
}

// save writes the weights for the other side.
func (t *modelTask) save(paths []string) (reply, error) {
	return reply{}, torch.Run(func() error {
		for i, p := range t.model.Params {
			if err := p.Save(paths[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// loop is a training that stands still between two requests: Recipe.Progress, which is called after
// every step, waits there for the next one. So a run's time begins and ends right after a step, and
// start-up is in none. An epoch's end is, shuffling and validation on two sentences included; the
// other side has no validation.
type loop struct {
	model benchModel
	next  chan int // steps to make
	done  chan error
	left  int       // until the loop stands still
	made  int       // steps; read only while the loop stands still
	began time.Time // of the run under way
	took  float64   // seconds of the last run
	live  int       // tensor handles at its end
}

// startLoop begins a training and returns when it stands still after its first step.
func startLoop(m benchModel, c benchCase) (*loop, error) {
	l := &loop{model: m, next: make(chan int), done: make(chan error), left: 1}
	r := c.Recipe()
	r.Progress = func(int, int, string) { l.step(c.Device != "") }
	go func() {
		err := torch.Run(func() error {
			_, err := m.Train(context.Background(), r)
			return err
		})
		if err == nil {
			err = errors.New("the training ended")
		}
		l.done <- err
	}()
	return l, <-l.done
}

// step counts a step and, after the last one asked for, waits for more. sync waits for a device,
// which works on while Go is done.
func (l *loop) step(sync bool) {
	l.made++
	if l.left--; l.left > 0 {
		return
	}
	if sync {
		_ = torch.Scoped(func() error { // reading a number waits for all that was asked for before
			l.model.Params[0].All()[0].Reshape(-1).Narrow(0, 0, 1).Floats()
			return nil
		})
	}
	l.took, l.live = time.Since(l.began).Seconds(), torch.Live()
	l.done <- nil
	l.left = <-l.next
	l.began = time.Now()
}

// steps makes n steps and returns what they took, and how many were made before.
func (l *loop) steps(n int) (seconds float64, from int, err error) {
	from = l.made
	l.next <- n
	err = <-l.done
	return l.took, from, err
}
