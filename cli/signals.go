package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
)

// signals ends a command's context by what asks the program to end: SIGINT and SIGTERM, the second
// of which kills it, and SIGHUP, which a closed terminal sends.
type signals struct {
	hangUp, pipe chan os.Signal
	end          context.CancelCauseFunc
	stop         func()
}

// catchSignals returns the context that signals end. A hang-up never counts as the second signal,
// and none counts after it: where a session ends, the kernel, the shell and systemd each send one,
// in any order. Whoever had it ignored (nohup) keeps it so.
func catchSignals(ctx context.Context) (context.Context, *signals) {
	asked, usual := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	ctx, end := context.WithCancelCause(asked)
	s := &signals{hangUp: make(chan os.Signal, 1), pipe: make(chan os.Signal, 1), end: end}
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(s.hangUp, syscall.SIGHUP)
	}
	over := make(chan struct{})
	s.stop = func() {
		close(over)
		usual()
		end(nil)
		signal.Stop(s.hangUp)
		signal.Stop(s.pipe)
	}
	go func() {
		for {
			select {
			case <-s.hangUp:
				end(slurm.ErrHangUp)
			case <-asked.Done():
				usual() // from here on these signals have their usual effect
				return
			case <-over:
				return
			}
		}
	}()
	return ctx, s
}

// outlivePipes has a command write its checkpoint where nobody reads any more what it says of its
// progress (run 2>&1 | head), as after Ctrl-C. What it prints in the end may find no reader
// (run | head), and is left out then. All other commands die of SIGPIPE, as filters do.
func (e *env) outlivePipes() {
	signal.Notify(e.signals.pipe, syscall.SIGPIPE) // of sockets too: only the error tells where it is from
	e.stdout.Reset(&heard{w: e.screen, gone: func() {}})
	if !isTerminal(e.rawStderr) { // which has no reader that goes
		e.rawStderr = &heard{w: e.rawStderr, gone: func() { e.signals.end(context.Canceled) }}
		e.stderr = wording.NewShown(e.rawStderr)
	}
}

// heard passes on what is written for as long as somebody reads it, then says so and takes all.
type heard struct {
	w    io.Writer
	gone func()
}

func (h *heard) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		h.gone()
		return len(p), nil
	}
	return n, err
}
