package track

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// line is a line of a file of JSON lines: the first of a run says what it is, the others are steps.
type line struct {
	Run    string             `json:"run"`
	Name   string             `json:"name,omitempty"`
	Params map[string]string  `json:"params,omitempty"`
	Step   *int               `json:"step,omitempty"`
	Time   *time.Time         `json:"time,omitempty"`
	Values map[string]float64 `json:"values,omitempty"`
}

// jsonLines appends to a file, which it has locked meanwhile: of several processes that mirror the
// same experiment one does.
type jsonLines struct {
	path  string
	file  *os.File
	other bool                          // another process has the file
	known map[string]map[string]float64 // by run and step; "": of the run itself
}

func (j *jsonLines) String() string { return strconv.Quote(j.path) }

func (j *jsonLines) close() {
	if j.file != nil {
		_ = j.file.Close()
	}
}

// open reads what is there, without a last line that was not finished. Lines that are damaged it
// takes out: what they said is not known, and so it is sent again, as the workspace has it.
func (j *jsonLines) open() error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	if files.TryLock(f, files.Alone) != nil {
		j.other = true
		return f.Close()
	}
	j.known = map[string]map[string]float64{}
	in, whole, damaged := bufio.NewReader(f), []byte(nil), false
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		var l line
		if json.Unmarshal(text, &l) != nil {
			damaged = true
			continue
		}
		j.known[l.key()], whole = l.Values, append(whole, text...)
	}
	if damaged { // in its place, as it is the file that is locked
		if _, err := f.WriteAt(whole, 0); err != nil {
			return err
		}
	}
	if err := f.Truncate(int64(len(whole))); err != nil {
		return err
	}
	if _, err := f.Seek(int64(len(whole)), io.SeekStart); err != nil {
		return err
	}
	j.file = f
	return nil
}

func (l *line) key() string {
	if l.Step == nil {
		return l.Run
	}
	return l.Run + " " + strconv.Itoa(*l.Step)
}

func (j *jsonLines) send(_ context.Context, r *Run) error {
	if j.file == nil && !j.other {
		if err := j.open(); err != nil {
			return err
		}
	}
	if j.other {
		return nil
	}
	lines := []line{{Run: r.ID, Name: r.Name, Params: r.Params}}
	for i := range r.Steps {
		s := &r.Steps[i]
		at := s.Time.Round(time.Millisecond).UTC()
		lines = append(lines, line{Run: r.ID, Step: &s.Step, Time: &at, Values: s.Values})
	}
	var text bytes.Buffer
	for _, l := range lines {
		if before, ok := j.known[l.key()]; ok && maps.Equal(before, l.Values) {
			continue
		}
		one, err := json.Marshal(l)
		if err != nil {
			return err
		}
		text.Write(append(one, '\n'))
	}
	if _, err := j.file.Write(text.Bytes()); err != nil {
		return err
	}
	for _, l := range lines {
		j.known[l.key()] = l.Values
	}
	return nil
}
