package machine

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name string
		want Device
	}{
		{"", Device{Auto: true}},
		{"auto", Device{Auto: true}},
		{"cpu", Device{Index: -1}},
		{"cuda", Device{Index: 0}},
		{"cuda:0", Device{Index: 0}},
		{"cuda:7", Device{Index: 7}},
	} {
		if got, err := ParseDevice(c.name); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, name := range []string{
		"gpu", "CPU", "cuda:", "cuda:-1", "cuda:x", "cuda:01", "cuda:+1", "cuda: 1", "cuda:64", "cuda:0x1", "cuda0",
		"cpu:0", " cpu",
	} {
		_, err := ParseDevice(name)
		if err == nil {
			t.Errorf("%q is taken", name)
		} else if !strings.Contains(err.Error(), DeviceNames) {
			t.Errorf("%q: the error does not say what is wanted: %v", name, err)
		}
	}
}

func TestNames(t *testing.T) {
	for index, want := range map[int]string{-1: "cpu", 0: "cuda:0", 3: "cuda:3"} {
		name := CUDAName(index)
		if name != want {
			t.Errorf("Name(%d) = %q, want %q", index, name, want)
		}
		if c, err := ParseDevice(name); err != nil || c.Index != index || c.Auto {
			t.Errorf("%q does not parse back: %+v, %v", name, c, err)
		}
		if kind := DeviceKind(name); kind != want[:len(kind)] || len(kind) > 4 {
			t.Errorf("Kind(%q) = %q", name, kind)
		}
	}
}

// TestEach checks that Parallel passes every number to the function exactly once, even if there are
// no numbers or more numbers than cores.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		calls := make([]atomic.Int32, n)
		Parallel(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("of %d, %d was given %d times", n, i, got)
			}
		}
	}
}

// TestRead checks that a binary has build information. Go writes it into every binary that it
// builds from a module, including this test.
func TestRead(t *testing.T) {
	if _, ok := ReadBuild(); !ok {
		t.Error("this binary has no build information")
	}
}

// TestHoldHeap checks that the heap can still grow when a limited address space is almost used up.
// The test runs itself under the limit. Without HoldHeap, the Go runtime would end the process with
// status 2. The constant "left" is the memory that stays free for threads and for the runtime's
// bookkeeping of the heap, which HoldHeap cannot reserve.
func TestHoldHeap(t *testing.T) {
	const want, left = 100 << 20, 48 << 20 // "want" exceeds "left", so the heap needs the reserved space
	if os.Getenv("SMLM_EXP_TEST_HOLD_HEAP") == "" {
		cmd := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" -test.run '^TestHoldHeap$'`, os.Args[0])
		cmd.Env = append(os.Environ(), "SMLM_EXP_TEST_HOLD_HEAP=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %.400s", err, out)
		}
		return
	}
	HoldHeap()
	take := func(size int) ([]byte, error) {
		return syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	}
	spare, err := take(left)
	if err != nil {
		t.Fatal(err)
	}
	for size := 64 << 20; size >= 1<<20; size /= 2 {
		for err = nil; err == nil; {
			_, err = take(size)
		}
	}
	if err := syscall.Munmap(spare); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(make([]byte, want))
}

// TestPeakMemory checks that the peak memory is at least 1 MiB, and that ProcField returns "" for a
// missing field or file.
func TestPeakMemory(t *testing.T) {
	if n := PeakMemory(); n < 1<<20 {
		t.Errorf("%d bytes", n)
	}
	for _, path := range []string{"/proc/self/status", "/proc/nowhere"} {
		if got := ProcField(path, "Nothing"); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
}
