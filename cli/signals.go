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

// signals ends a command's context when a signal asks the program to end: SIGINT, SIGTERM, or
// SIGHUP, which a closed terminal sends. A second SIGINT or SIGTERM kills the program.
type signals struct {
	hangUp, pipe chan os.Signal
	end          context.CancelCauseFunc
	stop         func()
}

// catchSignals returns the context that signals end. Neither SIGHUP nor the next signal after it
// counts as the second signal: when a session ends, the kernel, the shell and systemd each send
// one, in any order. If SIGHUP is ignored (nohup), it stays ignored.
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
				usual() // from here on these signals kill the program
				return
			case <-over:
				return
			}
		}
	}()
	return ctx, s
}

// outlivePipes keeps a command alive when a reader is gone. If nobody reads its progress any more
// (run 2>&1 | head), it writes its checkpoint and ends, as after Ctrl-C. If nobody reads its
// results (run | head), they are dropped. All other commands die of SIGPIPE, as filters do.
func (e *env) outlivePipes() {
	signal.Notify(e.signals.pipe, syscall.SIGPIPE) // sockets send it too; the write error tells which pipe is broken
	e.stdout.Reset(&heard{w: e.screen, gone: func() {}})
	if !isTerminal(e.rawStderr) { // the reader of a terminal does not go away
		e.rawStderr = &heard{w: e.rawStderr, gone: func() { e.signals.end(context.Canceled) }}
		e.stderr = wording.NewScreen(e.rawStderr)
	}
}

// heard passes text on while somebody reads it. If the reader is gone, it calls gone and drops the
// text.
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
