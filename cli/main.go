// Package cli is the command line of smlm-exp. Each file has a command or a group of commands;
// answers, arguments, flags, help, lines, models and study have what commands share. A command adds
// its flags, which fill a struct of options, and calls a function with them, which calls other
// packages and prints. Results go to standard output, everything else to standard error.
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

// mainOn is Main with a given env.
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
		if !strings.HasPrefix(line, " ") { // indented lines are lists to copy from
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

// app returns a description of all commands. Nothing is kept between calls.
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

// env is the environment of a command.
type env struct {
	stdin     io.Reader
	stdout    *bufio.Writer   // for sentences, which screen makes Visible; flushed at the end; keeps its first error
	screen    *wording.Screen // what stdout writes to
	rawStdout io.Writer       // what screen writes to
	stderr    io.Writer       // makes text Visible too
	rawStderr io.Writer       // what stderr writes to
	backend   stages.Backend
	terminal  bool // stdout is a terminal
	signals   *signals
}

// makeWriters creates the writers for commands.
func (e *env) makeWriters() {
	e.screen = wording.NewScreen(e.rawStdout)
	e.stdout, e.stderr = bufio.NewWriter(e.screen), wording.NewScreen(e.rawStderr)
}

// data returns standard output for what programs read: lines of transfer, JSON, tables in a file's
// format. A file or a pipe gets every byte unchanged. On a terminal, text is still made Visible.
func (e *env) data() *bufio.Writer {
	if !e.terminal {
		e.raw()
	}
	return e.stdout
}

// painted returns standard output for text with our own colours. The rest of the text must be
// Visible already.
func (e *env) painted() *bufio.Writer {
	e.raw()
	return e.stdout
}

// raw lets later output pass unchanged.
func (e *env) raw() {
	_ = e.stdout.Flush() // its error sticks
	e.screen.Raw()
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

// What interrupted says about a command's work.
const (
	goesOn  = "finished stages are kept, and the same command continues from there"
	nothing = "nothing was written, and the same command starts over"
	anew    = "the same command starts over"
)

// interrupted returns the error of a command that Ctrl-C ended; kept says what happened to its
// work. It returns other errors, and errors that already say so, unchanged.
func interrupted(err error, kept string) error {
	if !errors.Is(err, context.Canceled) || userr.CodeOf(err) == userr.Interrupted {
		return err
	}
	return &userr.Error{Code: userr.Interrupted, Text: "interrupted: " + kept, Err: err}
}
