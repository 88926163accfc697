package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// bench is one run.
type bench struct {
	options
	out    io.Writer
	self   string // this binary
	worker string // the other side's program
	dir    string // of the files that both sides read
	report report
	// files of weights that both sides begin with, by what makes a model's shape
	weights map[string][]string
	eager   bool // torch.compile does not work here
}

// report is what a run found.
type report struct {
	Machine hardware        `json:"machine"`
	Rows    map[string]*row `json:"rows"` // by section and name
	Memory  []flatness      `json:"memory,omitempty"`
	Targets []target        `json:"targets,omitempty"`
	Seconds float64         `json:"seconds"`
	tables  []*table
}

// compare runs the sections asked for.
func compare(ctx context.Context, o options, out io.Writer) error {
	// better now than when all else is done
	if _, err := exec.LookPath("java"); err != nil && slices.Contains(o.only, "score") {
		return userr.New(
			userr.BadInput,
			"the section score needs java, in which METEOR is written: install it, or name other sections in --only",
		)
	}
	start := time.Now()
	b := &bench{options: o, out: out}
	b.report.Rows = map[string]*row{}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "smlm-exp-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.worker, err = unpack(b.dir); err != nil {
		return err
	}
	if err := b.askSides(ctx); err != nil {
		return err
	}
	err = b.run(ctx)
	b.report.Seconds = time.Since(start).Seconds()
	if err == nil {
		if b.quick {
			fmt.Fprintln(b.out, "\nA quick run: no number above means anything.")
		}
		fmt.Fprintf(b.out, "\n%d alternations, %s\n", b.alternations, time.Since(start).Round(time.Second))
	}
	return errors.Join(err, b.save()) // what was measured before an error is kept
}

// run runs the sections asked for, and judges.
func (b *bench) run(ctx context.Context) error {
	for _, name := range sections {
		if !slices.Contains(b.only, name) {
			continue
		}
		run := map[string]func(context.Context) error{
			"step": b.step, "epoch": b.epoch, "transfer": b.transfer, "score": b.score, "growth": b.growth,
			"rivals": b.rivals, "memory": b.memory, "gpu": b.gpu, "kernels": b.kernels,
			"workers": b.workers,
		}[name]
		if err := run(ctx); err != nil {
			return err
		}
	}
	b.judge()
	return nil
}

// save writes the files asked for.
func (b *bench) save() error {
	if b.markdown != "" {
		if err := files.Write(b.markdown, b.writeMarkdown); err != nil {
			return err
		}
	}
	if b.json == "" {
		return nil
	}
	return files.Write(b.json, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(b.report)
	})
}

// write puts sentences where both sides find them, and returns the path.
func (b *bench) write(name string, s syntheticText) (string, error) {
	path := filepath.Join(b.dir, name+".txt")
	return path, s.Write(path)
}

// compareRow measures a row and keeps it under its key.
func (b *bench) compareRow(ctx context.Context, key string, r row, steps func(i, epoch int) int) (*row, error) {
	done, err := b.alternate(ctx, r, steps)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	b.report.Rows[key] = done
	return done, nil
}

// paper returns a model at the size of this run: the paper's, or a very small one.
func (b *bench) paper(model string, vocab int) benchCase {
	c := paperSizes(model, vocab)
	if b.quick {
		c = tiny(c)
		c.Vocab = vocab
	}
	return c
}

// sized is n sentences or, in a quick run, a tenth of them.
func (b *bench) sized(n int) int {
	if b.quick {
		return n / 10
	}
	return n
}
