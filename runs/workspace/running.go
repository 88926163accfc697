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

// Running is a file of running/: what a process does in the workspace, or did when it was killed.
type Running struct {
	Alive bool `json:"-"` // its process is there

	holder
	Command  []string  `json:"command,omitempty"`
	Updated  time.Time `json:"updated"`
	Stages   int       `json:"stages"`   // that this run has to do
	Finished int       `json:"finished"` // by this run
	Failed   int       `json:"failed"`

	// the stage that runs, by name; "" between stages
	Stage stage.Name `json:"stage,omitempty"`
	ID    string     `json:"id,omitempty"`
	Label string     `json:"label,omitempty"`
	Index int        `json:"index,omitempty"` // of Stages, from 1
	Began time.Time  `json:"began,omitzero"`
	Done  int        `json:"done,omitempty"` // of Total, 0 where it does not say
	Total int        `json:"total,omitempty"`
	Note  string     `json:"note,omitempty"`

	// guesses, absent where there is nothing to go by
	Left *float64 `json:"left_seconds,omitempty"` // of the stage
	All  *float64 `json:"all_seconds,omitempty"`  // of the run; absent where that of a stage is not known
}

// Tell leaves a note for those who ask what goes on in the workspace: a file that this process has
// locked while it is there. A failure is no error of the run.
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
		if files.TryLock(f, files.Alone) != nil { // another workspace of this process, in a test
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

// removeNote takes this process's note away: without its process it would be a killed one's.
func (w *Workspace) removeNote() {
	if w.note != nil {
		_ = os.Remove(w.note.Name())
		_ = w.note.Close()
		w.note = nil
	}
}

// Running says what goes on in the workspace, without waiting for anybody: what its processes do,
// and what those did that were killed. Who has the workspace alone and runs no stages is there
// without a command; with PID 0 where it has not said who it is.
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
	defer f.Close() // which gives the lock back
	switch err := files.TryLock(f, files.Alone); {
	case err == nil:
		return all, nil
	case !errors.Is(err, files.ErrHeld):
		return nil, w.Explain(err, "asking for the lock of")
	}
	var h holder
	_ = json.NewDecoder(io.LimitReader(f, mostNote)).Decode(&h) // not signed yet: then nothing is known of it
	return append([]Running{{Alive: true, holder: h}}, all...), nil
}

// mostNote is the most bytes of such a file that are read.
const mostNote = 1 << 20

// readNote reads a file of running/, nil where it is gone or says nothing. It is written in place,
// so a reader may come between.
func readNote(path string) (*Running, error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close() // which gives the lock back
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

// Percent is how much of the stage is done, -1 where it does not say.
func (r *Running) Percent() int {
	if r.Total == 0 {
		return -1
	}
	return 100 * r.Done / r.Total
}

// Typed is a command as people type it in a shell: the program by its name, which is not that of
// the file that its launcher starts.
func Typed(command []string) string {
	program := strings.TrimSuffix(filepath.Base(command[0]), ".bin")
	return wording.Command(append([]string{program}, command[1:]...)...)
}

// Between says what it does without a stage: "1 of 3 stages done, waiting for other processes".
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

// Far says how far the stage is, how long it will take and what failed, as parts of a sentence.
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
