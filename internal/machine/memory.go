package machine

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// ProcField returns the value of the first line "name : value" of a file of /proc.
func ProcField(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// ResetPeak makes the kernel count the peak of resident memory anew; it says whether it could
// (Linux, where allowed).
func ResetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// PeakMemory returns the peak of resident memory in bytes since the last reset, 0 where unknown.
func PeakMemory() int64 {
	kib, _, _ := strings.Cut(ProcField("/proc/self/status", "VmHWM"), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	return n * 1024
}
