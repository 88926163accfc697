package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// runningFile is where the process that holds the lock tells others how far it is.
const runningFile = "running.json"

// Running is running.json: what the process that holds the lock does. Without the lock it is what a
// killed process did.
type Running struct {
	holder
	Command  []string  `json:"command,omitempty"`
	Updated  time.Time `json:"updated"`
	Stages   int       `json:"stages"`   // that this run has to do
	Finished int       `json:"finished"` // by this run
	Failed   int       `json:"failed"`

	// the stage that runs; Kind is "" between stages
	Kind  kind.Kind `json:"kind,omitempty"`
	ID    string    `json:"id,omitempty"`
	Label string    `json:"label,omitempty"`
	Index int       `json:"index,omitempty"` // of Stages, from 1
	Began time.Time `json:"began,omitzero"`
	Done  int       `json:"done,omitempty"` // of Total, 0 where it does not say
	Total int       `json:"total,omitempty"`
	Note  string    `json:"note,omitempty"`

	// guesses, absent where there is nothing to go by
	Left *float64 `json:"left_seconds,omitempty"` // of the stage
	All  *float64 `json:"all_seconds,omitempty"`  // of the run, stages of unknown time left out
}

// Tell leaves a note for those who ask what goes on in the workspace. It is not synced, so that it
// costs next to nothing; a failure is no error of the run.
func (w *Workspace) Tell(r Running) {
	if w.lock == nil {
		return
	}
	r.holder, r.Command, r.Updated = w.holder, os.Args, time.Now()
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return
	}
	if err := os.WriteFile(w.Path("tmp", runningFile), append(text, '\n'), 0o644); err == nil {
		w.told = os.Rename(w.Path("tmp", runningFile), w.Path(runningFile)) == nil || w.told
	}
}

// Running says what goes on in the workspace, without waiting for anybody. Where nobody uses it, r
// is the note that a killed process left, nil where there is none. Who holds the lock without a
// note runs no stages: then r says who it is.
func (w *Workspace) Running() (r *Running, alive bool, err error) {
	text, err := os.ReadFile(w.Path(runningFile))
	if err == nil {
		r = new(Running)
		if json.Unmarshal(text, r) != nil {
			r = nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, w.Explain(err, "reading")
	}
	f, err := os.Open(w.Path("lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	} else if err != nil {
		return nil, false, w.Explain(err, "reading")
	}
	defer f.Close() // which gives the shared lock back
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); {
	case err == nil:
		return r, false, nil
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return nil, false, w.Explain(err, "asking for the lock of")
	}
	var h holder
	_ = json.NewDecoder(f).Decode(&h) // not signed yet: then nothing is known of it
	if r == nil || r.PID != h.PID || r.Host != h.Host || !r.Since.Equal(h.Since) {
		r = &Running{holder: h}
	}
	return r, true, nil
}

// removeRunning takes the note away.
func (w *Workspace) removeRunning() error {
	if err := os.Remove(w.Path(runningFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
