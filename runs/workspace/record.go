package workspace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/buildinfo"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Record is stage.json: what a stage is, where it comes from and how its run went.
type Record struct {
	Kind      plan.Kind         `json:"kind"`
	ID        string            `json:"id"`
	Version   int               `json:"version"` // of the kind
	Label     string            `json:"label,omitempty"`
	Settings  json.RawMessage   `json:"settings"`          // canonical JSON, part of the identity
	Inputs    map[string]string `json:"inputs"`            // name -> identity
	Sources   map[string]string `json:"sources,omitempty"` // name -> path outside the workspace at the time
	State     string            `json:"state"`             // "done" or "failed"
	Error     string            `json:"error,omitempty"`
	Start     time.Time         `json:"start"`
	End       time.Time         `json:"end"`
	Seconds   float64           `json:"seconds"`
	Threads   int               `json:"threads"`
	plan.Used                   // device, gpu, precision
	Peak      int64             `json:"peak_memory_bytes,omitempty"` // most resident memory; 0 where the system does not tell
	PeakOf    string            `json:"peak_memory_of,omitempty"`    // "stage", or "process": since the program's start
	Command   []string          `json:"command"`
	Program   string            `json:"program"`          // version of smlm-exp
	Commit    string            `json:"commit,omitempty"` // of its source, "+changes" appended where the tree was not clean
	Go        string            `json:"go"`
	Host      string            `json:"host"`
	CPU       string            `json:"cpu,omitempty"`
}

// NewRecord fills in what is known before the stage runs.
func NewRecord(s *plan.Stage, threads int) (*Record, error) {
	settings, err := plan.Canonical(s.Settings)
	if err != nil {
		return nil, fmt.Errorf("writing the settings of %s: %w", s.Short(), err)
	}
	host, _ := os.Hostname()
	r := &Record{
		Kind: s.Kind, ID: s.ID, Version: plan.Versions[s.Kind], Label: s.Label, Settings: settings,
		Inputs: map[string]string{}, Sources: s.Sources, Threads: threads, Command: os.Args,
		Go: runtime.Version(), Host: host, CPU: cpuModel(), Start: time.Now(),
	}
	r.Program, r.Commit = programVersion()
	for name, in := range s.Inputs {
		r.Inputs[name] = in.ID
	}
	return r, nil
}

// Finish fills in what is known afterwards.
func (r *Record) Finish(err error) {
	r.End = time.Now()
	r.Seconds = r.End.Sub(r.Start).Seconds()
	r.State = "done"
	if err != nil {
		r.State, r.Error = "failed", err.Error()
	}
}

func programVersion() (version, commit string) {
	info, ok := buildinfo.Read()
	if !ok {
		return "unknown", ""
	}
	if info.Modified {
		info.Commit += "+changes"
	}
	return info.Version, info.Commit
}

// cpuModel is the first model name of /proc/cpuinfo, "" where there is none.
var cpuModel = sync.OnceValue(func() string { return procField("/proc/cpuinfo", "model name") })

// procField returns the value of the first line "name : value" of a file of /proc.
func procField(path, name string) string {
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

// ResetPeak makes the kernel count the peak of resident memory anew; it says whether it could (Linux, where allowed).
func ResetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// PeakMemory returns the peak of resident memory in bytes since the last reset, 0 where unknown.
func PeakMemory() int64 {
	kib, _, _ := strings.Cut(procField("/proc/self/status", "VmHWM"), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	return n * 1024
}
