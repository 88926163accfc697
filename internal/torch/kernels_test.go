package torch

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
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
		for range 5000 { // try often: beside other programs, a thread may get little processor time
			if err := Scoped(func() error { x.Dropout(.5, true); return nil }); err != nil || busy() > 1 {
				return err
			}
		}
		t.Errorf("%d threads worked", busy())
		return nil
	})
}

// TestKernelsAreCompared checks that the list below names a test for every kernel. Such a test
// compares the kernel with libtorch's own operations. If you add a kernel, add its test here.
func TestKernelsAreCompared(t *testing.T) {
	tests := map[string]string{
		"adam":             "TestAdamAgainstReference",
		"cached-attention": "TestAttendIsAttention",
		"conicity":         "TestMeanCosine",
		"dropout":          "TestFusedDropout",
		"half-linear":      "TestCUDAHalfLinear",
		"heap":             "none: it computes nothing",
		"likeliest":        "TestLikeliest",
		"lstm":             "TestLSTMParity",
		"lstm-cell":        "TestCells",
		"onednn":           "TestFusedAgainstPlain",
		"packing":          "TestPackedIsLinear",
		"vocabulary-loss":  "TestFusedAgainstPlain",
	}
	for _, k := range kernels.All() {
		if tests[k.Name] == "" {
			t.Errorf("no test compares the kernel %s with libtorch's operations", k.Name)
		}
		if k.About == "" {
			t.Errorf("%s does not say what it replaces", k.Name)
		}
		delete(tests, k.Name)
	}
	for name, test := range tests {
		t.Errorf("%s is a test of %s, which is no kernel", test, name)
	}
}

// TestTurn checks that turning a kernel on or off returns its previous setting and affects no other
// kernel.
func TestTurn(t *testing.T) {
	onTorch(t, func() error {
		Seed(1)
		q, kv := Randn(9, 40), Randn(30, 80)
		s := Spans{Start: make([]int32, 9), Length: slices.Repeat([]int32{30}, 9)}
		run := func() []float32 { return Attend(q, kv, 4, s, false).Floats() }
		on := run()
		for _, c := range []struct {
			name string
			same bool // set if the kernel's switch does not affect Attend
		}{{"likeliest", true}, {"cached-attention", false}} {
			if !switched(c.name, false) {
				t.Errorf("%s was not on", c.name)
			}
			if got := run(); sameBits(got, on) != c.same {
				t.Errorf("without %s: the same bits is %t", c.name, !c.same)
			}
			if switched(c.name, true) {
				t.Errorf("%s was not off", c.name)
			}
		}
		if !sameBits(run(), on) {
			t.Error("a kernel that is on again gives other bits")
		}
		return nil
	})
	if _, ok := kernels.Find("abacus"); ok {
		t.Error("there is a kernel called abacus")
	}
}
