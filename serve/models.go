package serve

import (
	"context"
	"errors"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// mostOpen is how many sessions are in memory: the one longest not used makes room.
const mostOpen = 4

// models are the sessions that were asked for. What is open belongs to the function that the queue
// runs.
type models struct {
	opener  rewrite.Opener
	threads int
	devices string

	queue *queue
	open  []session // the one used last comes last
}

// session is loaded models, by the name of what they were asked for.
type session struct {
	name     string
	explain  stages.ExplainSession
	transfer stages.TransferSession
}

func (s *session) close() {
	if s.explain != nil {
		s.explain.Close()
	}
	if s.transfer != nil {
		s.transfer.Close()
	}
}

func newModels(o *Options, b bugs) *models {
	return &models{opener: o.Models, threads: o.Threads, devices: o.Devices, queue: newQueue(b)}
}

// close gives back what is open, after the request that is under way.
func (m *models) close() {
	m.queue.close()
	for i := range m.open {
		m.open[i].close()
	}
	m.open = nil
}

// use hands a session of a name to do, opened by load where it is not yet.
func (m *models) use(
	ctx context.Context, name string, load func(context.Context) (session, error),
	do func(context.Context, *session) error,
) error {
	return m.queue.run(ctx, func(ctx context.Context) error {
		if err := ctx.Err(); err != nil { // whoever asked went away
			return err
		}
		i := slices.IndexFunc(m.open, func(s session) bool { return s.name == name })
		if i < 0 {
			for len(m.open) >= mostOpen {
				m.open[0].close()
				m.open = slices.Delete(m.open, 0, 1)
			}
			s, err := load(ctx)
			if err != nil {
				return err
			}
			s.name = name
			i = len(m.open)
			m.open = append(m.open, s)
		}
		s := m.open[i]
		m.open = append(slices.Delete(m.open, i, i+1), s)
		err := m.queue.bugs.caught(name, func() error { return do(ctx, &m.open[len(m.open)-1]) })
		if errors.Is(err, errBug) { // what it left of the models is not used again, nor given back: it may panic too
			m.open = m.open[:len(m.open)-1]
		}
		return err
	})
}

// explaining opens Diversity-LSTMs.
func (m *models) explaining(x *rewrite.Explaining) func(context.Context) (session, error) {
	x.Request.Threads, x.Request.Devices = m.threads, m.devices
	return func(ctx context.Context) (s session, err error) {
		s.explain, err = x.Open(ctx, m.opener)
		return s, err
	}
}

// rewriting opens models that rewrite.
func (m *models) rewriting(of *rewrite.Rewriting) func(context.Context) (session, error) {
	of.Request.Threads, of.Request.Devices = m.threads, m.devices
	return func(ctx context.Context) (s session, err error) {
		s.transfer, err = of.Open(ctx, m.opener)
		return s, err
	}
}
