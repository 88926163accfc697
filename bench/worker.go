package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

func hello() reply {
	a := reply{BF16: torch.HasBF16()}
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
