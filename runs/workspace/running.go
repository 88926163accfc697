package workspace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Report is the progress that a running stage reports.
type Report struct {
	Stage stage.Name `json:"stage,omitempty"` // "" between stages
	ID    string     `json:"id,omitempty"`
	Label string     `json:"label,omitempty"`
	Began time.Time  `json:"began,omitzero"`
	Done  int        `json:"done,omitempty"`  // how much of Total is done
	Total int        `json:"total,omitempty"` // 0 if the total is unknown
	Note  string     `json:"note,omitempty"`
	Left  *float64   `json:"left_seconds,omitempty"` // estimated time left for the stage; nil if unknown
}

// Running is the content of a file in the folder "running": what a process is doing in the
// workspace, or was doing when it was killed.
type Running struct {
	Alive bool `json:"-"` // the process is running

	holder
	Command  []string  `json:"command,omitempty"`
	Updated  time.Time `json:"updated"`
	Stages   int       `json:"stages"`          // number of stages to run
	Index    int       `json:"index,omitempty"` // number of this stage in the run; stages of other processes count too
	Finished int       `json:"finished"`        // stages that this run has finished
	Failed   int       `json:"failed"`
	Waits    bool      `json:"waits,omitempty"` // this process waits while another process runs the stage
	Report
	All *float64 `json:"all_seconds,omitempty"` // estimated time left for the run; nil if a stage has no estimate
}

// Tell writes a status note: what this process is doing in the workspace. The process keeps the
// note's file locked while it runs. If the note cannot be written, the run continues without it.
func (w *Workspace) Tell(r Running) {
	if w.lock == nil {
		return
	}
	r.holder, r.Command, r.Updated = self(w.since), os.Args, time.Now()
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return
	}
	if w.note == nil {
		name := fmt.Sprintf("%s-%d.json", filepath.Base(r.Host), r.PID)
		f, err := files.OpenKept(w.Path("running", name))
		if err != nil {
			return
		}
		if files.TryLock(f, files.Exclusive) != nil { // in tests, another Workspace of this process holds the lock
			_ = f.Close()
			return
		}
		w.note = f
	}
	text = append(text, '\n')
	if _, err := w.note.WriteAt(text, 0); err == nil {
		_ = w.note.Truncate(int64(len(text)))
	}
}

// removeNote removes this process's note. Otherwise the run would look as if it had been killed.
func (w *Workspace) removeNote() {
	if w.note != nil {
		_ = os.Remove(w.note.Name())
		_ = w.note.Close()
		w.note = nil
	}
}

// Running lists what processes are doing in the workspace, or were doing when they were killed. It
// does not wait for a lock. A process that holds the lock exclusively and runs no stages has an
// entry without a command. The PID in this entry is 0 if the process has not written it to the file
// "lock" yet.
func (w *Workspace) Running() (all []Running, err error) {
	names, err := os.ReadDir(w.Path("running"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, w.Explain(err, "reading")
	}
	alive := false
	for _, name := range names {
		r, err := readNote(w.Path("running", name.Name()))
		if err != nil {
			return nil, w.Explain(err, "reading")
		}
		if r != nil {
			all, alive = append(all, *r), alive || r.Alive
		}
	}
	if alive {
		return all, nil
	}
	f, err := files.Open(w.Path("lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, w.Explain(err, "reading")
	}
	defer f.Close() // also releases the lock
	switch err := files.TryLock(f, files.Exclusive); {
	case err == nil:
		return all, nil
	case !errors.Is(err, files.ErrHeld):
		return nil, w.Explain(err, "asking for the lock of")
	}
	var h holder
	_ = json.NewDecoder(io.LimitReader(f, maxNote)).Decode(&h) // if the file is still empty, h stays zero
	return append([]Running{{Alive: true, holder: h}}, all...), nil
}

// Others lists what other processes are doing in the workspace. The list is for people only, so a
// note that cannot be read is not an error.
func (w *Workspace) Others() (all []Running) {
	names, _ := os.ReadDir(w.Path("running"))
	for _, name := range names {
		path := w.Path("running", name.Name())
		if w.note != nil && path == w.note.Name() {
			continue
		}
		if r, err := readNote(path); err == nil && r != nil && r.Alive {
			all = append(all, *r)
		}
	}
	return all
}

// maxNote is the largest number of bytes to read from a note or from the file "lock".
const maxNote = 1 << 20

// readNote reads a file in the folder "running". It returns nil if the file is gone or has no valid
// content. It tries several times, because notes are overwritten in place.
func readNote(path string) (*Running, error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close() // also releases the lock
	for range 5 {
		r := new(Running)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if json.NewDecoder(io.LimitReader(f, maxNote)).Decode(r) == nil {
			if r.Alive = errors.Is(files.TryLock(f, files.Shared), files.ErrHeld); !r.Alive {
				r.Left, r.All = nil, nil
			}
			return r, nil
		}
		time.Sleep(time.Millisecond)
	}
	return nil, nil
}

// Typed formats a command as people type it in a shell. People type the name of the launcher, so
// Typed leaves out the ".bin" at the end of the program's file.
func Typed(command []string) string {
	program := strings.TrimSuffix(filepath.Base(command[0]), ".bin")
	return wording.Command(append([]string{program}, command[1:]...)...)
}

// Head names the stage and its number in the run: "[3/12] smlm 3fa9c1 (lambda_eps 0.15)". If
// another process runs the stage, Head says that this process waits for it.
func (r *Running) Head() string {
	s := plan.Stage{Name: r.Stage, ID: r.ID, Label: r.Label}
	if r.Waits {
		return "waiting for " + s.Title() + " in another process"
	}
	return fmt.Sprintf("[%d/%d] %s", r.Index, r.Stages, s.Title())
}

// Rest describes the rest of the run: "; all: about 4m10s left" or, without an estimate, "; 2
// stages after it".
func (r *Running) Rest() string {
	after := r.Stages - r.Index
	if r.Waits {
		after--
	}
	switch {
	case after <= 0:
		return ""
	case r.All != nil:
		return "; all: about " + wording.ShortSeconds(*r.All) + " left"
	}
	return "; " + wording.Count(after, "stage") + " after it"
}

// Line describes what the process does. The line consists of the text of Head, the progress of the
// stage, its time so far, its estimated time left, and the text of Rest. If the line is wider than
// the given number of columns (0 means no limit), the least important parts are left out first, and
// the text of Rest last. Between stages, the line is "1 of 3 stages done, waiting for other
// processes".
func (r *Running) Line(columns int) string {
	if r.Stage == "" {
		return r.between()
	}
	if columns == 0 {
		columns = math.MaxInt
	}
	share, counts, left := "", "", ""
	if r.Total > 0 {
		share, counts = fmt.Sprintf("%d%%", 100*r.Done/r.Total), fmt.Sprintf(" (%d/%d)", r.Done, r.Total)
	}
	if r.Left != nil {
		left = "about " + wording.ShortSeconds(*r.Left) + " left"
	}
	note, soFar, rest := wording.OneLine(r.Note), wording.Short(max(0, r.Updated.Sub(r.Began)))+" so far", r.Rest()
	for i, parts := range [][]string{
		{share + counts, note, soFar, left},
		{share + counts, note, cmp.Or(left, soFar)},
		{share, note, cmp.Or(left, soFar)},
		{share, cmp.Or(left, soFar)},
		{cmp.Or(left, soFar)},
		nil,
	} {
		tail := strings.TrimPrefix(joined(parts...)+rest, "; ")
		head := r.shortened(columns-len(": ")-len([]rune(tail)), i < 3)
		if head != "" && tail != "" {
			return head + ": " + tail
		}
	}
	return wording.Clip(cmp.Or(strings.TrimPrefix(rest, "; "), r.Head()), columns)
}

// The method shortened returns the text of Head if it fits in the given number of columns, or else
// "". If whole is false, shortened cuts the label so that the text fits, or leaves out the label if
// little of it would remain.
func (r *Running) shortened(columns int, whole bool) string {
	brief := *r
	brief.Label = ""
	head, short := r.Head(), brief.Head()
	named, least := len([]rune(head)), len([]rune(short))
	switch {
	case columns >= named:
		return head
	case whole || columns < least:
		return ""
	case columns < least+len(" (label…"):
		return short
	}
	return wording.Clip(head, columns)
}

// The method between describes a process that runs no stage.
func (r *Running) between() string {
	if r.Stages == 0 {
		return r.Note
	}
	return joined(fmt.Sprintf("%d of %s done", r.Finished, wording.Count(r.Stages, "stage")), r.Note)
}

// The function joined joins the non-empty parts with commas.
func joined(parts ...string) string {
	return strings.Join(lists.Filter(parts, func(s string) bool { return s != "" }), ", ")
}
