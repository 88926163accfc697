package torch

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// processorTimes returns the processor time that each thread of the process has used.
func processorTimes(t *testing.T) map[string]time.Duration {
	used := map[string]time.Duration{}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, task := range tasks {
		d, err := testkit.ProcessorTime("/proc/self/task/" + task.Name() + "/stat")
		if err == nil { // an error means that the thread has ended
			used[task.Name()] = d
		}
	}
	return used
}

// TestKernelsUseAllThreads checks that our kernels keep two threads busy, as libtorch's products
// do.
func TestKernelsUseAllThreads(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor")
	}
	onTorch(t, func() error {
		defer SetThreads(Threads())
		SetThreads(2)
		x := randn(1000, 1000)
		before := processorTimes(t)
		busy := func() (n int) {
			for id, used := range processorTimes(t) {
				if used-before[id] >= 100*time.Millisecond {
					n++
				}
			}
			return n
		}
		for range 5000 { // try often: beside other programs, a thread may get little processor time
			if err := Scoped(func() error { x.Dropout(.5, true); return nil }); err != nil || busy() > 1 {
				return err
			}
		}
		t.Errorf("%d threads worked", busy())
		return nil
	})
}
