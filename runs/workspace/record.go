package workspace

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// recordFile is the name of a stage's record in its folder.
const recordFile = "stage.json"

// Record is stage.json: what a stage is, where it comes from and how its run went.
type Record struct {
	Kind      kind.Kind         `json:"kind"`
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
	Peak      int64             `json:"peak_memory_bytes,omitempty"` // most resident memory; 0: not known
	PeakOf    string            `json:"peak_memory_of,omitempty"`    // "stage", or "process": since the program's start
	Command   []string          `json:"command"`
	Program   string            `json:"program"`          // version of smlm-exp
	Commit    string            `json:"commit,omitempty"` // of its source; "+changes": the tree was not clean
	Go        string            `json:"go"`
	Host      string            `json:"host"`
	CPU       string            `json:"cpu,omitempty"`
	Files     map[string]File   `json:"files,omitempty"` // in its folder, by slash-separated path; of finished stages
	Sum       string            `json:"sum,omitempty"`   // of the rest of the record; of finished stages
}

// NewRecord fills in what is known before the stage runs.
func NewRecord(s *plan.Stage, threads int) (*Record, error) {
	settings, err := s.SettingsJSON()
	if err != nil {
		return nil, fmt.Errorf("writing the settings of %s: %w", s.Short(), err)
	}
	host, _ := os.Hostname()
	r := &Record{
		Kind: s.Kind, ID: s.ID, Version: s.Kind.Version(), Label: s.Label, Settings: settings,
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
	r.State = StateDone
	if err != nil {
		r.State, r.Error = "failed", err.Error()
	}
}

// ReadRecord reads a stage.json, of which that of a finished stage must be as it was written.
func ReadRecord(path string) (*Record, error) { return readRecord(path, files.Read) }

func readRecord(path string, read func(string) ([]byte, error)) (*Record, error) {
	text, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("reading a stage's record: %w", err)
	}
	r, err := unseal(text)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return r, nil
}

// WriteRecord writes a record as stage.json has it.
func WriteRecord(path string, r *Record) error {
	text, err := r.text()
	if err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	return files.WriteBytes(path, text)
}

func (r *Record) text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}
