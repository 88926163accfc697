package serve

import (
	"context"
	"sync"
	"sync/atomic"
)

// mostWaiting is how many requests may wait for the models.
const mostWaiting = 16

// queue runs one function at a time, in the order of asking: the models take one after another.
type queue struct {
	jobs  chan *job // handed over, so that whoever goes away while waiting leaves nothing behind
	asked atomic.Int32
	stop  chan struct{}
	ended chan struct{}
	once  sync.Once
	bugs  bugs
}

type job struct {
	ctx  context.Context
	do   func(context.Context) error
	done chan error
}

func newQueue(b bugs) *queue {
	q := &queue{bugs: b, jobs: make(chan *job), stop: make(chan struct{}), ended: make(chan struct{})}
	go q.work()
	return q
}

func (q *queue) work() {
	defer close(q.ended)
	for {
		select {
		case <-q.stop:
			return
		case j := <-q.jobs:
			j.done <- q.bugs.caught("models", func() error { return j.do(j.ctx) })
		}
	}
}

// run waits for its turn and runs do. It returns as soon as ctx ends; do may then still be under
// way, and should end too.
func (q *queue) run(ctx context.Context, do func(context.Context) error) error {
	defer q.asked.Add(-1)
	if q.asked.Add(1) > mostWaiting+1 { // one has its turn
		return errBusy
	}
	j := &job{ctx, do, make(chan error, 1)}
	select {
	case q.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-q.stop:
		return context.Canceled
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the work after the function that runs.
func (q *queue) close() {
	q.once.Do(func() { close(q.stop) })
	<-q.ended
}
