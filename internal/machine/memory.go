package machine

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// ProcField returns the value of the first line "name : value" of a /proc file, or "".
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

// PeakMemory returns the peak of resident memory of this process in bytes, or 0 if it is
// unknown.
func PeakMemory() int64 {
	kib, _, _ := strings.Cut(ProcField("/proc/self/status", "VmHWM"), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	return n * 1024
}

// FreeMemory returns how many bytes this process can still allocate: the memory that the kernel
// reports as available, or less if a control group of this process has a lower limit.
func FreeMemory() (bytes int64, ok bool) { return freeMemory("/proc", "/sys/fs/cgroup") }

func freeMemory(proc, groups string) (free int64, ok bool) {
	kib, _, _ := strings.Cut(ProcField(filepath.Join(proc, "meminfo"), "MemAvailable"), " ")
	if n, err := strconv.ParseInt(kib, 10, 64); err == nil {
		free, ok = n*1024, true
	}
	text, _ := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		parts := strings.SplitN(lines.Text(), ":", 3) // version 2: "0::/user.slice"; version 1: "4:memory:/jobs"
		if len(parts) < 3 {
			continue
		}
		g := group{groups, "memory.max", "memory.current", "inactive_file"}
		switch {
		case strings.Contains(","+parts[1]+",", ",memory,"):
			g = group{
				filepath.Join(groups, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
			}
		case parts[1] != "":
			continue
		}
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			if bytes, limited := g.free(dir); limited && (!ok || bytes < free) {
				free, ok = bytes, true
			}
			if dir == "/" {
				break
			}
		}
	}
	return free, ok
}

// group holds the root folder and the file names of one version of control groups.
type group struct{ root, limit, used, cache string }

// free returns the number of bytes that the control group in the folder dir may still use. The
// inactive file cache counts as free.
func (g group) free(dir string) (bytes int64, limited bool) {
	number := func(name string) (int64, error) {
		text, err := os.ReadFile(filepath.Join(g.root, dir, name))
		if err != nil {
			return 0, err
		}
		return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	}
	limit, err := number(g.limit) // fails for "max", which means that there is no limit
	if err != nil {
		return 0, false
	}
	used, err := number(g.used)
	if err != nil {
		return 0, false
	}
	stat, _ := os.ReadFile(filepath.Join(g.root, dir, "memory.stat"))
	for line := range strings.Lines(string(stat)) {
		if name, n, _ := strings.Cut(strings.TrimSpace(line), " "); name == g.cache {
			cached, _ := strconv.ParseInt(n, 10, 64)
			used -= cached
		}
	}
	return max(0, limit-max(0, used)), true
}
