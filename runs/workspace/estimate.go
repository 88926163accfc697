package workspace

import (
	"strings"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Estimate is what stages will take, as far as there is something to go by; what is not known of a
// stage is left out and counted.
type Estimate struct {
	Time          time.Duration
	Memory        int64 // bytes: most of one stage, on the CPU
	Disk          int64 // bytes
	UnknownTime   int   // stages
	UnknownMemory int
	UnknownDisk   int
}

// Estimate guesses what stages will take by what like stages of the workspace took.
func (t Timings) Estimate(stages []*plan.Stage) (e Estimate) {
	for _, s := range stages {
		if d, ok := t.Of(s); ok {
			e.Time += d
		} else {
			e.UnknownTime++
		}
		if bytes, ok := t.Disk(s); ok {
			e.Disk += bytes
		} else {
			e.UnknownDisk++
		}
		if bytes, ok := t.Memory(s); ok {
			e.Memory = max(e.Memory, bytes)
		} else {
			e.UnknownMemory++
		}
	}
	return e
}

// String words what is known and what is not: "about 4m10s; up to 412 MB of memory; about 35 MB of
// disk", or "at least 4m10s; at least 412 MB of memory; at least 35 MB of disk; unknown time,
// memory and disk of 2 stages"; "" of no stages.
func (e Estimate) String() string {
	var parts []string
	or := func(known string, unknown int) string {
		if unknown > 0 {
			return "at least "
		}
		return known
	}
	if e.Time > 0 {
		parts = append(parts, or("about ", e.UnknownTime)+wording.Short(e.Time))
	}
	if e.Memory > 0 {
		parts = append(parts, or("up to ", e.UnknownMemory)+wording.Bytes(e.Memory)+" of memory")
	}
	if e.Disk > 0 {
		parts = append(parts, or("about ", e.UnknownDisk)+wording.Bytes(e.Disk)+" of disk")
	}
	if n := e.UnknownTime; n > 0 && n == e.UnknownMemory && n == e.UnknownDisk {
		return strings.Join(append(parts, "unknown time, memory and disk of "+wording.Count(n, "stage")), "; ")
	}
	for _, u := range []struct {
		what string
		n    int
	}{{"time", e.UnknownTime}, {"memory", e.UnknownMemory}, {"disk", e.UnknownDisk}} {
		if u.n > 0 {
			parts = append(parts, "unknown "+u.what+" of "+wording.Count(u.n, "stage"))
		}
	}
	return strings.Join(parts, "; ")
}

// Free returns the bytes that are free on the workspace's disk.
func (w *Workspace) Free() (bytes int64, ok bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(w.Dir, &disk); err != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}
