// Command bench compares training and transfer in smlm-exp with a plain PyTorch program that does
// the same computations. Each has a worker process of its own, which stays warm between runs and
// whose peak memory can be measured. Our worker is this program, started as "bench worker". The
// worker of plain PyTorch is plain/worker.py. The workers run in turn. README.md says how the
// comparison is kept fair.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// options are the command-line options.
type options struct {
	only         string
	python       string
	device       string
	sentences    int
	words        int // words per batch
	alternations int
	quick        bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		serve(os.Stdin, os.Stdout)
		return
	}
	var o options
	all := strings.Join(sections, ",")
	flag.StringVar(&o.only, "only", all, "the sections to run")
	flag.StringVar(&o.python, "python", "python3", "a Python with the packages of bench/plain/requirements.txt")
	flag.StringVar(&o.device, "device", "cpu", "where Go and Python compute: cpu, cuda or cuda:N")
	flag.IntVar(&o.sentences, "sentences", 2000, "sentences of an epoch; a transfer has half as many")
	flag.IntVar(&o.words, "words", 1536, "words of a batch of a training")
	flag.IntVar(&o.alternations, "alternations", 3, "how often every side is measured")
	flag.BoolVar(&o.quick, "quick", false, "very small models: shows that everything works; ignore the numbers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, o, os.Stdout)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
