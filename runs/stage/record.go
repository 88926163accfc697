package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// The states of a stage in its record.
const (
	Done   = "done"
	Failed = "failed"
)

// RecordFile is the name of a stage's record in its folder.
const RecordFile = "stage.json"

// Record is stage.json: what a stage is, what it was made from and how its run went.
type Record struct {
	Name     Name              `json:"stage"`
	ID       string            `json:"id"`
	Version  int               `json:"version"` // Version of the stage's Definition
	Label    string            `json:"label,omitempty"`
	Settings json.RawMessage   `json:"settings"`          // canonical JSON, part of the identity
	Inputs   map[string]string `json:"inputs"`            // identities of the inputs, by name
	Sources  map[string]string `json:"sources,omitempty"` // paths of the sources when the stage ran, by name
	State    string            `json:"state"`             // "done" or "failed"
	Error    string            `json:"error,omitempty"`
	Start    time.Time         `json:"start"`
	End      time.Time         `json:"end"`
	Seconds  float64           `json:"seconds"`
	Threads  int               `json:"threads"`
	Used                       // device, gpu, precision, libtorch
	Warnings []string          `json:"warnings,omitempty"` // warnings about the data, one sentence each
	Command  []string          `json:"command"`
	Program  string            `json:"program"`          // version of smlm-exp
	Commit   string            `json:"commit,omitempty"` // of the source; with "+changes" if files were modified
	Go       string            `json:"go"`
	Host     string            `json:"host"`
	CPU      string            `json:"cpu,omitempty"`
	Files    map[string]File   `json:"files,omitempty"` // files of a finished stage, by slash-separated path
	Sum      string            `json:"sum,omitempty"`   // SHA-256 of the rest of the record; "": not finished
}

// Finish records the end of the run and its result.
func (r *Record) Finish(err error) {
	r.End = time.Now()
	r.Seconds = r.End.Sub(r.Start).Seconds()
	r.State = Done
	if err != nil {
		r.State, r.Error = Failed, err.Error()
	}
}

// ReadRecord reads a stage.json. If the stage is finished, the checksum in the field Sum must
// match.
func ReadRecord(path string) (*Record, error) {
	text, err := files.ReadSmall(path)
	if err != nil {
		return nil, fmt.Errorf("reading a stage's record: %w", err)
	}
	r, err := unseal(text)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return r, nil
}

// WriteRecord writes a record in the format of stage.json.
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

// File is the size and SHA-256 of a file in a stage's folder.
type File struct {
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hex
}

// Seal records the size and SHA-256 of every file in a stage's folder and writes its stage.json.
// Later changes of these files count as damage.
func Seal(dir string, r *Record) error {
	r.Files, r.Sum = map[string]File{}, ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		sum, err := files.SHA256(path)
		r.Files[filepath.ToSlash(name)] = File{info.Size(), sum}
		return err
	})
	if err != nil {
		return fmt.Errorf("sealing the stage: %w", err)
	}
	text, err := r.sealed()
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, RecordFile), text)
}

// The method sealed sets r.Sum and returns the text of stage.json.
func (r *Record) sealed() ([]byte, error) {
	r.Sum = ""
	text, err := r.text()
	if err != nil {
		return nil, fmt.Errorf("sealing the stage: %w", err)
	}
	before := append(bytes.TrimSuffix(text, []byte("\n}\n")), ",\n"...)
	r.Sum = files.Sum(before)
	return append(before, sumLine(r.Sum)...), nil
}

// sumLine returns the last two lines of stage.json.
func sumLine(sum string) string { return `  "sum": "` + sum + "\"\n}\n" }

// ToHandOn returns the text of stage.json for passing on to other people: without the host name,
// the command and the paths of sources.
func (r *Record) ToHandOn() ([]byte, error) {
	c := *r
	c.Host, c.Command, c.Sources = "", nil, nil
	return c.sealed()
}

var errBroken = errors.New("it is not what was written")

// unseal decodes a record. If the stage is finished, the checksum in the field Sum must match.
func unseal(text []byte) (*Record, error) {
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.State != Done {
		return r, nil // the record of a failed stage has no sum
	}
	before, ok := bytes.CutSuffix(text, []byte(sumLine(r.Sum)))
	if !ok || files.Sum(before) != r.Sum {
		return nil, errBroken
	}
	return r, nil
}
