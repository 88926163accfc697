package machine

import (
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestFreeMemory checks that free memory is the minimum of what the kernel has available and what
// each control group of the process has left.
func TestFreeMemory(t *testing.T) {
	const mem = "MemTotal: 9000 kB\nMemAvailable:    1000 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no limit": {map[string]string{
			"proc/meminfo": mem, "proc/self/cgroup": "0::/a/b\n", "groups/a/b/memory.max": "max\n",
			"groups/a/b/memory.current": "1\n",
		}, 1_024_000},
		"own group": {map[string]string{
			"proc/meminfo": mem, "proc/self/cgroup": "0::/a/b\n", "groups/a/b/memory.max": "5000\n",
			"groups/a/b/memory.current": "3000\n", "groups/a/b/memory.stat": "anon 2\ninactive_file 1000\n",
		}, 3000},
		"group above": {map[string]string{
			"proc/meminfo": mem, "proc/self/cgroup": "0::/a/b\n", "groups/a/b/memory.max": "5000\n",
			"groups/a/b/memory.current": "3000\n", "groups/a/memory.max": "700", "groups/a/memory.current": "800",
		}, 0},
		"in a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "groups/memory.max": "5000\n", "groups/memory.current": "3000\n",
		}, 2000},
		"version 1": {map[string]string{
			"proc/meminfo": mem, "proc/self/cgroup": "3:cpu:/x\n4:hugetlb,memory:/a\n",
			"groups/memory/a/memory.limit_in_bytes": "5000\n", "groups/memory/a/memory.usage_in_bytes": "4000\n",
			"groups/memory/a/memory.stat":           "total_inactive_file 10\n",
			"groups/memory/x/memory.limit_in_bytes": "1\n", "groups/memory/x/memory.usage_in_bytes": "1\n",
		}, 1010},
		"nothing known": {nil, -1},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			testkit.WriteFile(t, filepath.Join(dir, file), text)
		}
		got, ok := freeMemory(filepath.Join(dir, "proc"), filepath.Join(dir, "groups"))
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got, ok := FreeMemory(); ok && got < 1<<20 {
		t.Errorf("%d bytes of this machine's memory are free", got)
	}
}
