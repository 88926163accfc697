// Package cli is the command line of smlm-exp. Most files contain a command or a group of commands.
// Code that several commands share is in answers.go, arguments.go, flags.go, help.go, lines.go,
// models.go and study.go. A command defines flags, which fill a struct of options. Its action
// passes the options to a function that calls other packages and prints. Results go to standard
// output, everything else to standard error.
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

// Main runs the command line args, where args[0] is the program, and returns the exit status. The
// first SIGINT, SIGTERM or SIGHUP ends ctx, so that a run stops cleanly (signals.go). An error is
// printed as one sentence on stderr.
func Main(ctx context.Context, args []string, backend stages.Backend, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, caught := catchSignals(ctx)
	defer caught.stop()
	return mainOn(ctx, args, &env{
		stdin: stdin, rawStdout: stdout, rawStderr: stderr, backend: backend,
		terminal: isTerminal(stdout), signals: caught,
	})
}

// mainOn does the same as Main, with a given env.
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
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, " ") { // an indented line belongs to a list that the user may want to copy
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
	if len(args) > 0 && args[len(args)-1] == completeFlag { // a shell asks for completions
		return app.RunContext(ctx, args)
	}
	ordered, err := arrange(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, ordered)
}

// app returns a description of all commands. Each call returns a new one.
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
			runCommand(e), planCommand(e), statusCommand(e), verifyCommand(e), cleanCommand(e),
			tablesCommand(e), reportCommand(e), compareCommand(e),
			dataCommand(e), initCommand(e),
			transferCommand(e), maskCommand(e), packCommand(e), exportCommand(e),
			scoreCommand(e), outputsCommand(e), humanCommand(e), serveCommand(e),
			doctorCommand(e), versionCommand(e), completionCommand(e, program),
		},
		Writer:                    e.stdout,
		ErrWriter:                 e.stderr,
		EnableBashCompletion:      true,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true, // a value may contain commas: --set masking.lambda_eps=[0,0.15]
		ExitErrHandler:            func(*cli.Context, error) {},
	}
}

// env holds what commands use from outside: the standard streams, the backend that runs models, and
// signals. Text is called "Visible" if wording.Visible has replaced its control characters.
type env struct {
	stdin     io.Reader
	stdout    *bufio.Writer   // makes text Visible; flushed at the end; keeps its first error
	screen    *wording.Screen // the writer behind stdout, which makes text Visible
	rawStdout io.Writer       // the writer behind screen
	stderr    io.Writer       // also makes text Visible
	rawStderr io.Writer       // the writer behind stderr
	backend   stages.Backend
	terminal  bool // set if stdout is a terminal
	signals   *signals
}

// makeWriters creates the writers for commands.
func (e *env) makeWriters() {
	e.screen = wording.NewScreen(e.rawStdout)
	e.stdout, e.stderr = bufio.NewWriter(e.screen), wording.NewScreen(e.rawStderr)
}

// data returns standard output for data that programs read, such as the lines of `transfer`, JSON
// and tables in a file format. If standard output is a file or a pipe, every byte is written
// unchanged. On a terminal, control characters are made Visible.
func (e *env) data() *bufio.Writer {
	if !e.terminal {
		_ = e.stdout.Flush() // stdout keeps its first error, which the last Flush returns
		e.screen.Raw()
	}
	return e.stdout
}

// writeJSON writes v as indented JSON, without escaping < and >.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// These texts tell what happened to the work of an interrupted command.
const (
	goesOn  = "finished stages are kept, and the same command continues from there"
	nothing = "nothing was written, and the same command starts over"
	anew    = "the same command starts over"
)

// The function interrupted returns the error for a command that was ended with Ctrl-C. kept says
// what happened to the command's work. Any other error is returned unchanged, and so is an error
// that already has the code userr.Interrupted.
func interrupted(err error, kept string) error {
	if !errors.Is(err, context.Canceled) || userr.CodeOf(err) == userr.Interrupted {
		return err
	}
	return &userr.Error{Code: userr.Interrupted, Text: "interrupted: " + kept, Err: err}
}
