package workspace

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/smlm-exp/smlm-exp/internal/machine"
)

func programVersion() (version, commit string) {
	info, ok := machine.ReadBuild()
	if !ok {
		return "unknown", ""
	}
	if info.Modified {
		info.Commit += "+changes"
	}
	return info.Version, info.Commit
}

// cpuModel is the first model name of /proc/cpuinfo, "" where there is none.
var cpuModel = sync.OnceValue(func() string { return machine.ProcField("/proc/cpuinfo", "model name") })

// FreeMemory returns how many bytes this machine's processes can still take: what the kernel finds
// available, and no more than the limits of the control groups that this process is in leave.
func FreeMemory() (bytes int64, ok bool) { return freeMemory("/proc", "/sys/fs/cgroup") }

func freeMemory(proc, groups string) (free int64, ok bool) {
	kib, _, _ := strings.Cut(machine.ProcField(filepath.Join(proc, "meminfo"), "MemAvailable"), " ")
	if n, err := strconv.ParseInt(kib, 10, 64); err == nil {
		free, ok = n*1024, true
	}
	text, _ := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		parts := strings.SplitN(lines.Text(), ":", 3) // "0::/user.slice"; version 1: "4:memory:/jobs"
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
			if left, limited := g.left(dir); limited && (!ok || left < free) {
				free, ok = left, true
			}
			if dir == "/" {
				break
			}
		}
	}
	return free, ok
}

// group is how a version of control groups names its files.
type group struct{ root, limit, used, cache string }

// left is what the limit of a group leaves; files that were read and may be forgotten count as
// free.
func (g group) left(dir string) (bytes int64, limited bool) {
	number := func(name string) (int64, error) {
		text, err := os.ReadFile(filepath.Join(g.root, dir, name))
		if err != nil {
			return 0, err
		}
		return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	}
	limit, err := number(g.limit) // "max": none
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

// Fit returns how many of n workers find room in so much memory, each with a stage of the largest
// estimate: at least one.
func (e estimate) Fit(n int, free int64) int {
	if e.Memory == 0 {
		return n
	}
	return max(1, min(n, int(free/e.Memory)))
}
