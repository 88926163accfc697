package main

import (
	"context"
	"errors"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

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
