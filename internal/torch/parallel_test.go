package torch

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// cpuTicks returns the processor time that every thread of the process has used, by thread, in hundredths of a second.
func cpuTicks(t *testing.T) map[string]int {
	ticks := map[string]int{}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, task := range tasks {
		stat, err := os.ReadFile("/proc/self/task/" + task.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		user, _ := strconv.Atoi(fields[11]) // utime, field 14 of proc(5)
		ticks[task.Name()] = user
	}
	return ticks
}

// TestKernelsUseAllThreads: a kernel of this package's own keeps two threads busy, not libtorch's products alone.
func TestKernelsUseAllThreads(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor")
	}
	onTorch(t, func() error {
		defer SetThreads(Threads())
		SetThreads(2)
		qkv := Randn(64, 40, 3*256)
		before := cpuTicks(t)
		busy := func() (n int) {
			for id, ticks := range cpuTicks(t) {
				if ticks-before[id] >= 10 {
					n++
				}
			}
			return n
		}
		for range 5000 { // beside other programs a thread may get little of the processor
			if err := Scoped(func() error { SelfAttention(qkv, 4, false, 0); return nil }); err != nil || busy() > 1 {
				return err
			}
		}
		t.Errorf("%d threads worked", busy())
		return nil
	})
}
