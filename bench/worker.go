package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"golang.org/x/sys/unix"
)

// serve is our worker: it answers until its input ends.
func serve(in io.Reader, out io.Writer) {
	w := &worker{}
	lines := bufio.NewReader(in)
	answers := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q request
		a := reply{}
		if err = json.Unmarshal(line, &q); err == nil {
			a, err = w.answer(q)
		}
		if err != nil {
			a = reply{Error: err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			return
		}
	}
}

// worker is the state of our side.
type worker struct {
	c    benchCase
	task task
}

// task is what a case has the worker do.
type task interface {
	// run does n steps, passes or scores, and returns the seconds that they took and what else is
	// known of them.
	run(n int) (reply, error)
}

func (w *worker) answer(q request) (reply, error) {
	if q.Without != "" {
		k, ok := kernels.Find(q.Without)
		if !ok {
			return reply{}, fmt.Errorf("no kernel is called %q", q.Without)
		}
		defer k.Turn(k.Turn(false))
	}
	switch q.Do {
	case "hello":
		return hello(), nil
	case "memory":
		return w.memory()
	case "prepare":
		w.c = *q.Case
		return w.prepare()
	}
	if w.task == nil {
		return reply{}, fmt.Errorf("%q comes before prepare", q.Do)
	}
	if q.Do == "run" {
		before := processorTime()
		a, err := w.task.run(q.N)
		a.Processor = processorTime() - before
		return a, err
	}
	if m, ok := w.task.(*modelTask); ok {
		switch q.Do {
		case "losses":
			return m.losses(q.N)
		case "evaluate":
			return m.evaluate()
		case "outputs":
			return m.outputs()
		case "save":
			return m.save(q.Path)
		}
	}
	return reply{}, fmt.Errorf("the task %q does not know %q", w.c.Task, q.Do)
}

func hello() reply {
	a := reply{BF16: torch.FasterInBF16()}
	_ = torch.Run(func() error { // nothing in it can fail
		a.Torch, a.Threads, a.CPU = torch.Version(), torch.Threads(), torch.CPUCapability()
		return nil
	})
	return a
}

func (w *worker) prepare() (reply, error) {
	if err := useDevice(w.c.Device); err != nil {
		return reply{}, err
	}
	if w.c.Threads > 0 {
		_ = torch.Run(func() error { torch.SetThreads(w.c.Threads); return nil })
	}
	switch w.c.Task {
	case "train", "transfer":
		m, err := newModelTask(w.c)
		if err != nil {
			return reply{}, err
		}
		w.task = m
		return reply{Steps: m.steps()}, nil
	case "score":
		s, err := newScoring(w.c)
		w.task = plainly(s.Run)
		return reply{}, err
	case "products":
		m, err := newMatrixRate(w.c)
		w.task = plainly(m.Run)
		return reply{}, err
	}
	return reply{}, fmt.Errorf("the task %q is none", w.c.Task)
}

// plainly is a task that only runs.
type plainly func(n int) (timeTaken, error)

func (f plainly) run(n int) (reply, error) {
	took, err := f(n)
	return reply{Seconds: took.Seconds, Value: took.Value, Each: took.Each}, err
}

// useDevice has all models and tensors of this process made on a device: "" or "cpu", or as in
// "cuda:0".
func useDevice(name string) error {
	if name == "" {
		name = "cpu"
	}
	return torch.Run(func() error { return torch.SetDevice(name) })
}

// processorTime returns the seconds that this process has had of the processor.
func processorTime() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// memory tells this process's memory, after what Go would collect anyway has been collected.
func (w *worker) memory() (reply, error) {
	debug.FreeOSMemory()
	a := reply{}
	if m, ok := w.task.(*modelTask); ok && m.loop != nil {
		a.Live = m.loop.live
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return a, err
	}
	a.Peak, a.Resident = kilobytes(string(status), "VmHWM:"), kilobytes(string(status), "VmRSS:")
	return a, nil
}

// kilobytes returns a line of /proc/self/status, "KEY 12 kB", in bytes.
func kilobytes(status, key string) int64 {
	_, after, _ := strings.Cut(status, key)
	line, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	return n * 1024
}
