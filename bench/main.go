// Command bench compares the training, transfer and scoring of smlm-exp with plain PyTorch programs
// of the same mathematics and with the usual scorers, alternating between the sides in one run.
// Each side is a process of its own, so that it stays warm, its peak memory is its own, and only
// one works at a time: ours is this binary again ("bench worker"), theirs is plain/worker.py.
// README.md says how the sides are made equal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		serve(os.Stdin, os.Stdout)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(int(program(ctx, os.Args[1:], os.Stdout, os.Stderr)))
}

// program is the parent; it returns the exit code.
func program(ctx context.Context, args []string, stdout, stderr io.Writer) userr.Code {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, errHelp):
		return userr.OK
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return userr.CodeOf(err)
	}
	if err := compare(ctx, o, stdout); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(stderr, "bench: interrupted; the workers are ended")
			return userr.Interrupted
		}
		fmt.Fprintln(stderr, "bench:", err)
		return userr.CodeOf(err)
	}
	return userr.OK
}
