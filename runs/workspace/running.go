package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Running is a file of running/: what a process is doing in the workspace, or was doing when it was
// killed.
type Running struct {
	Alive bool `json:"-"` // the process is running

	holder
	Command  []string  `json:"command,omitempty"`
	Updated  time.Time `json:"updated"`
	Stages   int       `json:"stages"`   // number of stages to run
	Finished int       `json:"finished"` // by this run
	Failed   int       `json:"failed"`

	// the running stage; Stage is "" between stages
	Stage stage.Name `json:"stage,omitempty"`
	ID    string     `json:"id,omitempty"`
	Label string     `json:"label,omitempty"`
	Index int        `json:"index,omitempty"` // number of the stage, from 1
	Began time.Time  `json:"began,omitzero"`
	Done  int        `json:"done,omitempty"` // out of Total; Total 0: not known
	Total int        `json:"total,omitempty"`
	Note  string     `json:"note,omitempty"`

	// estimates; absent if nothing is known
	Left *float64 `json:"left_seconds,omitempty"` // of the stage
	All  *float64 `json:"all_seconds,omitempty"`  // of the run; absent if the time of a stage is unknown
}

// Tell writes a status note: what this process is doing in the workspace. The process keeps the
// file locked while it runs. A failure is not an error of the run.
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
		if files.TryLock(f, files.Alone) != nil { // another workspace of this process (in tests)
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

// removeNote removes this process's note. Without its process, the note would look like that of a
// killed run.
func (w *Workspace) removeNote() {
	if w.note != nil {
		_ = os.Remove(w.note.Name())
		_ = w.note.Close()
		w.note = nil
	}
}

// Running lists what processes are doing in the workspace, or were doing when they were killed,
// without waiting for a lock. A process that holds the lock exclusively and runs no stages has an
// entry without a command; its PID is 0 if it has not written it yet.
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
	defer f.Close() // and releases the lock
	switch err := files.TryLock(f, files.Alone); {
	case err == nil:
		return all, nil
	case !errors.Is(err, files.ErrHeld):
		return nil, w.Explain(err, "asking for the lock of")
	}
	var h holder
	_ = json.NewDecoder(io.LimitReader(f, mostNote)).Decode(&h) // may be empty yet: then nothing is known
	return append([]Running{{Alive: true, holder: h}}, all...), nil
}

// mostNote is the most bytes that are read of a note or the file "lock".
const mostNote = 1 << 20

// readNote reads a file of running/. It returns nil if the file is gone or has no valid content.
// Notes are overwritten in place, so it tries several times.
func readNote(path string) (*Running, error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close() // and releases the lock
	for range 5 {
		r := new(Running)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if json.NewDecoder(io.LimitReader(f, mostNote)).Decode(r) == nil {
			r.Alive = errors.Is(files.TryLock(f, files.Shared), files.ErrHeld)
			return r, nil
		}
		time.Sleep(time.Millisecond)
	}
	return nil, nil
}

// Percent is how much of the stage is done, or -1 if that is not known.
func (r *Running) Percent() int {
	if r.Total == 0 {
		return -1
	}
	return 100 * r.Done / r.Total
}

// Typed formats a command as people type it in a shell. It names the program without the ".bin" of
// the file that its launcher starts.
func Typed(command []string) string {
	program := strings.TrimSuffix(filepath.Base(command[0]), ".bin")
	return wording.Command(append([]string{program}, command[1:]...)...)
}

// Between describes a process that runs no stage: "1 of 3 stages done, waiting for other
// processes".
func (r *Running) Between() string {
	var parts []string
	if r.Stages > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s done", r.Finished, wording.Count(r.Stages, "stage")))
	}
	if r.Note != "" && r.Alive {
		parts = append(parts, r.Note)
	}
	return strings.Join(parts, ", ")
}

// Far describes the progress of the running stage, the time left and what failed, as parts of a
// sentence.
func (r *Running) Far() (parts []string) {
	if r.Total > 0 {
		parts = append(parts, fmt.Sprintf("%d%% (%d/%d)", r.Percent(), r.Done, r.Total))
	}
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	if r.Alive && r.Left != nil {
		parts = append(parts, "about "+wording.ShortSeconds(*r.Left)+" left")
	}
	if r.Alive && r.All != nil && r.Index < r.Stages {
		parts = append(parts, "whole run: about "+wording.ShortSeconds(*r.All)+" left")
	}
	if r.Failed > 0 {
		parts = append(parts, wording.Count(r.Failed, "stage")+" failed in this run")
	}
	return parts
}
