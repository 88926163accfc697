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

// signals ends a command's context when the program receives SIGINT, SIGTERM or SIGHUP. A terminal
// sends SIGHUP when it is closed. A second SIGINT or SIGTERM kills the program.
type signals struct {
	hangUp, pipe chan os.Signal
	end          context.CancelCauseFunc
	stop         func()
}

// catchSignals returns a context that ends when one of the signals arrives. When a login session
// ends, the kernel, the shell and systemd each send a signal, in any order. The program must
// survive these to end cleanly, so neither SIGHUP nor the first signal after SIGHUP kills it. If
// the program was started with SIGHUP ignored (nohup), SIGHUP stays ignored.
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
				usual() // from now on, SIGINT and SIGTERM kill the program
				return
			case <-over:
				return
			}
		}
	}()
	return ctx, s
}

// outlivePipes keeps a command alive if the program that reads its output ends. If nobody reads
// standard error any more (run 2>&1 | head), the command ends as after Ctrl-C and keeps its
// checkpoint. If nobody reads standard output (run | head), the command goes on and drops the rest
// of this output. Without outlivePipes, SIGPIPE would kill the command, which is right only for
// filters.
func (e *env) outlivePipes() {
	// A broken socket also causes SIGPIPE. Only a write error shows which pipe or socket broke.
	signal.Notify(e.signals.pipe, syscall.SIGPIPE)
	e.stdout.Reset(&heard{w: e.screen, gone: func() {}})
	if !isTerminal(e.rawStderr) { // a terminal keeps reading
		e.rawStderr = &heard{w: e.rawStderr, gone: func() { e.signals.end(context.Canceled) }}
		e.stderr = wording.NewScreen(e.rawStderr)
	}
}

// heard writes text to w. If the program that reads from w has ended, it calls gone and drops the
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
