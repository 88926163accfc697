package torch

import (
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"os"
	"runtime"
	"testing"
	"time"
)

// processorTimes returns the processor time that every thread of the process has used, by thread.
func processorTimes(t *testing.T) map[string]time.Duration {
	used := map[string]time.Duration{}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, task := range tasks {
		d, err := testkit.ProcessorTime("/proc/self/task/" + task.Name() + "/stat")
		if err == nil { // else it has ended
			used[task.Name()] = d
		}
	}
	return used
}

// TestKernelsUseAllThreads: a kernel of this package's own keeps two threads busy, not libtorch's
// products alone.
func TestKernelsUseAllThreads(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor")
	}
	onTorch(t, func() error {
		defer SetThreads(Threads())
		SetThreads(2)
		x := Randn(1000, 1000)
		before := processorTimes(t)
		busy := func() (n int) {
			for id, used := range processorTimes(t) {
				if used-before[id] >= 100*time.Millisecond {
					n++
				}
			}
			return n
		}
		for range 5000 { // beside other programs a thread may get little of the processor
			if err := Scoped(func() error { x.Dropout(.5, true); return nil }); err != nil || busy() > 1 {
				return err
			}
		}
		t.Errorf("%d threads worked", busy())
		return nil
	})
}
