// Package cli is the command line of smlm-exp: one file a command, each reading its flags and
// calling into a package. It prints results on standard output and everything else on standard
// error. It builds without libtorch: what needs tensors comes in through the Torch interface.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// env is what a command may touch of the world.
type env struct {
	stdin  io.Reader
	stdout *bufio.Writer // flushed by Main; its first error sticks
	stderr io.Writer
	torch  Torch // nil: built without tensors
}

// Main runs the command line args (args[0] is the program) and returns the exit status. The first
// SIGINT or SIGTERM ends ctx, so that a run stops cleanly; the second kills the program. An error
// is one sentence on stderr.
func Main(ctx context.Context, args []string, torch Torch, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // from here on a signal has its usual effect
	}()
	e := &env{stdin: stdin, stdout: bufio.NewWriter(stdout), stderr: stderr, torch: torch}
	err := e.run(ctx, args)
	if flushed := e.stdout.Flush(); err == nil && flushed != nil && !errors.Is(flushed, syscall.EPIPE) {
		err = fmt.Errorf("writing the output: %w", flushed)
	}
	if err == nil {
		return int(userr.OK)
	}
	if errors.Is(err, context.Canceled) && userr.CodeOf(err) != userr.Interrupted {
		err = userr.New(userr.Interrupted,
			"interrupted: what was finished is kept, and the same command goes on from there")
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(stderr, "smlm-exp: %s\n", strings.TrimRight(line, "\n"))
	}
	return int(userr.CodeOf(err))
}

func (e *env) run(ctx context.Context, args []string) error {
	app := e.app()
	ordered, err := arrange(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, ordered)
}

// app describes the commands; nothing is kept between calls.
func (e *env) app() *cli.App {
	return &cli.App{
		Name:      "smlm-exp",
		Usage:     "style masked language models: from one experiment file to the tables of the paper",
		UsageText: "smlm-exp COMMAND [OPTIONS] [ARGUMENTS]",
		Description: "Start with `smlm-exp run experiments.toml`, which trains on an embedded corpus.\n" +
			"Exit status: 0 done, 1 a stage failed, 2 bad input or usage, 3 libtorch or the device missing, " +
			"130 interrupted.",
		Commands: []*cli.Command{
			e.runCommand(), e.planCommand(), e.statusCommand(), e.listCommand(), e.verifyCommand(), e.cleanCommand(),
			e.tablesCommand(), e.figuresCommand(), e.reportCommand(), e.compareCommand(),
			e.dataCommand(), e.scoreCommand(), e.transferCommand(), e.doctorCommand(),
			e.versionCommand(),
		},
		Writer:                    e.stdout,
		ErrWriter:                 e.stderr,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true, // a comma belongs to the value: --set masking.lambda_eps=[0,0.15]
		ExitErrHandler:            func(*cli.Context, error) {},
		CustomAppHelpTemplate:     appHelp,
	}
}
