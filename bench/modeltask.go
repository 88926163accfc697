package main

import (
	"context"
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
