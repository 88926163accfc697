package track

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
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
	other bool              // another process has the file
	known map[uint64]uint64 // sums of lines by their keys
}

func (j *jsonLines) String() string { return strconv.Quote(j.path) }

func (j *jsonLines) close() {
	if j.file != nil {
		_ = j.file.Close()
	}
}

// open reads what is there, without a last line that was not finished. Lines that are damaged it
// takes out: what they said is not known, and so it is sent again, as the workspace has it.
func (j *jsonLines) open() (err error) {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	f, err := files.OpenKept(j.path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil || j.other {
			_ = f.Close()
		}
	}()
	if files.TryLock(f, files.Alone) != nil {
		j.other = true
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > files.MostSmall {
		return fmt.Errorf("%w: move it away, and the next run writes a new one", files.ErrNotSmall)
	}
	text := make([]byte, info.Size())
	if _, err := io.ReadFull(f, text); err != nil {
		return err
	}
	var whole int
	if j.known, whole, err = readLines(text); err != nil {
		return err
	}
	if whole < len(text) { // in its place, as it is the file that is locked
		if _, err := f.WriteAt(text[:whole], 0); err != nil {
			return err
		}
		if err := f.Truncate(int64(whole)); err != nil {
			return err
		}
	}
	if _, err := f.Seek(int64(whole), io.SeekStart); err != nil {
		return err
	}
	j.file = f
	return nil
}

// readLines reads the lines of such a file. Those that are whole are at the start of text
// afterwards, in so many bytes.
func readLines(text []byte) (known map[uint64]uint64, whole int, err error) {
	known = map[uint64]uint64{}
	for at := 0; ; {
		end := bytes.IndexByte(text[at:], '\n') + 1
		if end == 0 {
			return known, whole, nil
		}
		one := text[at : at+end]
		at += end
		var l line
		if json.Unmarshal(one, &l) != nil {
			continue
		}
		if known[l.key()], err = l.sum(); err != nil {
			return nil, 0, err
		}
		whole += copy(text[whole:], one)
	}
}

// seed is of the hashes by which lines are known: a file may have millions of them.
var seed = maphash.MakeSeed()

// key is a hash of what a line is of: a run, or a step of it.
func (l *line) key() uint64 {
	if l.Step == nil {
		return maphash.String(seed, l.Run)
	}
	return maphash.String(seed, l.Run+" "+strconv.Itoa(*l.Step))
}

// sum is a hash of what a line says.
func (l *line) sum() (uint64, error) {
	text, err := json.Marshal(l.Values) // in the order of names
	return maphash.Bytes(seed, text), err
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
	sums := make([]uint64, len(lines))
	for i := range lines {
		l := &lines[i]
		var err error
		if sums[i], err = l.sum(); err != nil {
			return err
		}
		if before, ok := j.known[l.key()]; ok && before == sums[i] {
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
	for i := range lines {
		j.known[lines[i].key()] = sums[i]
	}
	return nil
}
