// Command bench compares the training, transfer and scoring of smlm-exp with plain PyTorch programs
// with the same mathematics and with the usual scorers, alternating between the sides in one run.
// Each side is a process of its own, so that it stays warm, its peak memory is its own, and only
// one works at a time: ours is this binary again ("bench worker"), theirs is plain/worker.py.
// README.md says how the sides are made equal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
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

// options are the flags.
type options struct {
	only         []string
	alternations int
	threads      int
	python       string
	newer        string // a Python with a newer PyTorch, "" = none
	sentences    int    // of an epoch
	gpuSentences int
	gpuWords     int // of a batch
	device       string
	kernel       string // of the section kernels the only one, "" = all
	markdown     string
	json         string
	program      string // of the section workers
	quick        bool   // small sizes, to see that all of it works
}

// sections in the order they run, but for those that only run when they are asked for: gpu and
// kernels.
var (
	usual    = []string{"score", "transfer", "step", "rivals", "epoch", "growth", "memory", "workers"}
	sections = append(usual[:len(usual):len(usual)], "gpu", "kernels")
)

var errHelp = errors.New("help was asked for")

const usage = `usage: bench [flags]

Compares smlm-exp with plain PyTorch and with the usual scorers, alternating in one run. Needs a Python that has what
bench/plain/requirements.txt names (make bench makes one); the section score also needs java.

`

const gpuHelp = `
Two sections run only when they are named. bench --only gpu: an epoch over 366,000 sentences on a CUDA device;
bench/README.md has the commands, also for a machine that has no Go. bench --only kernels: what each kernel of our own
is worth, which needs no Python.
`

func parse(args []string, out io.Writer) (options, error) {
	o := options{}
	only := ""
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&only, "only", strings.Join(usual, ","), "the sections to run, of "+strings.Join(sections, ","))
	flags.IntVar(&o.alternations, "alternations", 5, "how often every side of a row is measured")
	flags.IntVar(&o.threads, "threads", 0, "threads of an operation on both sides, 0 = what libtorch chooses")
	flags.StringVar(&o.python, "python", "python3", "the Python of the other side")
	flags.StringVar(&o.newer, "newer-python", "", "a Python with a newer PyTorch, for the section rivals")
	flags.IntVar(&o.sentences, "sentences", 4000, "sentences of an epoch")
	flags.IntVar(&o.gpuSentences, "gpu-sentences", 366_000, "sentences of an epoch of the section gpu")
	flags.IntVar(&o.gpuWords, "gpu-words", 12_800, "words of a batch of the section gpu")
	flags.StringVar(&o.device, "device", "cuda:0", "the device of the section gpu")
	flags.StringVar(&o.kernel, "kernel", "", "the one kernel that the section kernels measures, if not all")
	flags.StringVar(&o.program, "program", "bin/smlm-exp", "the smlm-exp that the section workers runs")
	flags.StringVar(&o.markdown, "markdown", "", "write the tables to this file as Markdown")
	flags.StringVar(&o.json, "json", "", "write every number to this file as JSON")
	flags.BoolVar(
		&o.quick, "quick", false,
		"use very small models and few sentences: shows in some minutes that all works, the numbers mean nothing",
	)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		flags.SetOutput(out)
		flags.PrintDefaults()
		fmt.Fprint(out, gpuHelp)
		return o, errHelp
	} else if err != nil {
		return o, userr.New(userr.BadInput, "%v; bench --help lists the flags", err)
	}
	if flags.NArg() > 0 {
		return o, userr.New(userr.BadInput, "%q is no flag; bench takes no arguments, bench --help lists the flags", flags.Arg(0))
	}
	for name := range strings.SplitSeq(only, ",") {
		if !slices.Contains(sections, name) {
			return o, userr.New(userr.BadInput, "--only does not know the section %q; the sections are %s",
				name, strings.Join(sections, ", "))
		}
		o.only = append(o.only, name)
	}
	return o, o.check()
}

// plain tells whether the other side is wanted at all.
func (o options) plain() bool {
	return slices.ContainsFunc(o.only, func(name string) bool { return name != "kernels" && name != "workers" })
}

// both tells whether a newer PyTorch is asked too.
func (o options) both() bool { return o.newer != "" && slices.Contains(o.only, "rivals") }

func (o options) check() error {
	for _, n := range []struct {
		flag         string
		value, least int
	}{
		{"alternations", o.alternations, 1},
		{"threads", o.threads, 0},
		{"sentences", o.sentences, 200},
		{"gpu-sentences", o.gpuSentences, 200},
		{"gpu-words", o.gpuWords, 1},
	} {
		if n.value < n.least {
			return userr.New(userr.BadInput, "--%s is %d; give at least %d", n.flag, n.value, n.least)
		}
	}
	if _, ok := kernels.Find(o.kernel); o.kernel != "" && !ok {
		return userr.New(userr.BadInput, "--kernel does not know %q; the kernels are %s",
			o.kernel, strings.Join(kernelNames(), ", "))
	}
	if !o.plain() {
		return nil
	}
	if _, err := exec.LookPath(o.newer); o.both() && err != nil {
		return userr.New(userr.BadInput, "--newer-python names %q, which cannot be run", o.newer)
	}
	if _, err := exec.LookPath(o.python); err != nil {
		return userr.New(userr.BadInput, "--python names %q, which cannot be run; run make bench, or name a Python "+
			"that has PyTorch", o.python)
	}
	return nil
}
