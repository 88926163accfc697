// Package cli is the command line of smlm-exp: one file a command or a group of them; answers,
// arguments, flags, folder, help, lines, models and study hold what commands share. A command adds
// its flags, which fill a struct of options, and calls a function with these, which calls into a
// package and prints. Results go to standard output, everything else to standard error.
package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// Main runs the command line args (args[0] is the program) and returns the exit status. The first
// SIGINT, SIGTERM or SIGHUP ends ctx, so that a run stops cleanly (signals.go). An error is one
// sentence on stderr.
func Main(ctx context.Context, args []string, backend stages.Backend, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, caught := catchSignals(ctx)
	defer caught.stop()
	return mainOn(ctx, args, &env{
		stdin: stdin, rawStdout: stdout, rawStderr: stderr, backend: backend,
		terminal: isTerminal(stdout), signals: caught,
	})
}

// mainOn is Main where what may be touched of the world is known.
func mainOn(ctx context.Context, args []string, e *env) int {
	e.makeWriters()
	err := runApp(ctx, e, args)
	flushed := e.stdout.Flush()
	if flushed == nil {
		flushed = e.screen.End()
	}
	if err == nil && flushed != nil && !errors.Is(flushed, syscall.EPIPE) {
		err = fmt.Errorf("writing the output: %w", flushed)
	}
	if err == nil {
		return int(userr.OK)
	}
	err = interrupted(err, anew)
	for line := range strings.Lines(wording.WithoutSecrets(err.Error())) {
		if !strings.HasPrefix(line, " ") { // what is listed below a sentence is to be copied from there
			line = "smlm-exp: " + line
		}
		fmt.Fprintln(e.stderr, strings.TrimRight(line, "\n"))
	}
	return int(userr.CodeOf(err))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func runApp(ctx context.Context, e *env, args []string) error {
	app := app(e)
	if len(args) > 0 && args[len(args)-1] == completeFlag { // of a line that is not finished
		return app.RunContext(ctx, args)
	}
	ordered, err := arrange(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, ordered)
}

// app describes the commands; nothing is kept between calls.
func app(e *env) *cli.App {
	program := func() *cli.App { return app(e) }
	return &cli.App{
		Name: "smlm-exp",
		Usage: "text style transfer with style masked language models: from one experiment file to the " +
			"tables of a paper",
		UsageText: "smlm-exp COMMAND [OPTIONS] [ARGUMENTS]",
		Description: "Start with `smlm-exp run experiments.toml`, which trains on a corpus inside the " +
			"program.\nExit status: 0 done, 1 a stage failed or the disk is full, 2 bad input or usage, 3 " +
			"libtorch or the device missing, 130 interrupted.",
		Commands: []*cli.Command{
			runCommand(e), planCommand(e), statusCommand(e), listCommand(e), verifyCommand(e), cleanCommand(e),
			tablesCommand(e), figuresCommand(e), reportCommand(e), compareCommand(e),
			dataCommand(e), initCommand(e),
			transferCommand(e), maskCommand(e), packCommand(e), exportCommand(e),
			scoreCommand(e), outputsCommand(e), humanCommand(e), serveCommand(e),
			doctorCommand(e), versionCommand(e), completionCommand(e, program), manCommand(e, program),
		},
		Writer:                    e.stdout,
		ErrWriter:                 e.stderr,
		EnableBashCompletion:      true,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true, // a comma belongs to the value: --set masking.lambda_eps=[0,0.15]
		ExitErrHandler:            func(*cli.Context, error) {},
	}
}

// env is what a command may touch of the world.
type env struct {
	stdin     io.Reader
	stdout    *bufio.Writer  // sentences, shown as wording.Shown does; flushed at the end; its first error sticks
	screen    *wording.Shown // what stdout writes to
	rawStdout io.Writer      // and that
	stderr    io.Writer      // shown too
	rawStderr io.Writer      // what stderr writes to
	backend   stages.Backend
	terminal  bool // stdout is one
	signals   *signals
}

// makeWriters makes the writers that commands have.
func (e *env) makeWriters() {
	e.screen = wording.NewShown(e.rawStdout)
	e.stdout, e.stderr = bufio.NewWriter(e.screen), wording.NewShown(e.rawStderr)
}

// data is standard output for what programs read: lines of transfer, JSON, tables in a file's
// format. Where it is a file or a pipe each byte is the data's, and an escape among them is none of
// ours to change; a terminal is sent none even so.
func (e *env) data() *bufio.Writer {
	if !e.terminal {
		e.raw()
	}
	return e.stdout
}

// painted is standard output for text with colours of ours, all else of which is Visible already.
func (e *env) painted() *bufio.Writer {
	e.raw()
	return e.stdout
}

// raw leaves what is written from now on as it is.
func (e *env) raw() {
	_ = e.stdout.Flush() // its error sticks
	e.screen.Raw()
}

// writeJSON writes v as indented JSON, with < and > as they are.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// What interrupted says of commands.
const (
	goesOn  = "finished stages are kept, and the same command continues from there"
	nothing = "nothing was written, and the same command starts over"
	anew    = "the same command starts over"
)

// interrupted words the error of a command that Ctrl-C ended: kept is what became of its work.
// Other errors, and those that say it already, it leaves as they are.
func interrupted(err error, kept string) error {
	if !errors.Is(err, context.Canceled) || userr.CodeOf(err) == userr.Interrupted {
		return err
	}
	return &userr.Error{Code: userr.Interrupted, Text: "interrupted: " + kept, Err: err}
}
