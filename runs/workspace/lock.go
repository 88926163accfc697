package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// holder is the content of the file "lock": which process runs stages in the workspace. It is valid
// only while the file is locked.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Lock locks the workspace exclusively until Unlock. It creates missing folders and removes what a
// killed run left half-written. A workspace that is in use, read-only or on a full disk is an error
// of kind userr.BadInput.
func (w *Workspace) Lock() error {
	if err := w.Create(); err != nil {
		return err
	}
	return w.take(func(f *os.File) error {
		if err := w.sign(f); err != nil {
			return err
		}
		return w.settle()
	})
}

// Join locks the workspace like Lock, but with a shared lock. Other processes may join too, and
// each process runs the stages that it has claimed. The first process to join removes what a killed
// run left half-written.
func (w *Workspace) Join() error {
	if err := w.Create(); err != nil {
		return err
	}
	return w.take(func(f *os.File) error {
		switch err := w.sign(f); {
		case err == nil: // no other process uses the workspace
			if err := w.settle(); err != nil {
				return err
			}
		case !errors.Is(err, files.ErrHeld):
			return err
		}
		// The change from an exclusive to a shared flock is not atomic, so another process may lock
		// the workspace in between. That process then calls settle again, while no stage runs.
		return files.TryLock(f, files.Shared)
	})
}

// Hold locks an existing workspace without cleaning it.
func (w *Workspace) Hold() error {
	if err := w.mustExist(); err != nil {
		return err
	}
	return w.take(w.sign)
}

// lockTries is how often the method take tries to lock before it decides that another run has the
// lock. Other processes hold the lock for a moment while they join or check whether the workspace
// is in use.
const lockTries = 20

// betweenTries waits before the next try. A test replaces it.
var betweenTries = func() { time.Sleep(10 * time.Millisecond) }

// take opens the file "lock" and calls the function lock with the file, several times if necessary.
// It keeps the file open if the function succeeds.
func (w *Workspace) take(lock func(f *os.File) error) error {
	if w.lock != nil {
		return errors.New("the workspace is locked already")
	}
	f, err := files.OpenKept(w.Path("lock"))
	if errors.Is(err, files.ErrNotRegular) {
		return userr.New(userr.BadInput, "%q is a link or not a file, which no workspace has: remove it", w.Path("lock"))
	}
	if err != nil {
		return w.Explain(err, "locking")
	}
	for range lockTries {
		if err = lock(f); !errors.Is(err, files.ErrHeld) {
			break
		}
		betweenTries()
	}
	switch {
	case err == nil:
		w.lock, w.since = f, time.Now().Truncate(time.Second)
		return nil
	case errors.Is(err, files.ErrHeld):
		err = w.inUse(f)
	case !errors.As(err, new(*userr.Error)):
		err = w.Explain(err, "locking")
	}
	_ = f.Close()
	return err
}

// sign locks the file f exclusively and writes a description of this process into it.
func (w *Workspace) sign(f *os.File) error {
	if err := files.TryLock(f, files.Exclusive); err != nil {
		return err
	}
	text, err := json.Marshal(self(time.Now()))
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return w.Explain(err, "locking")
	}
	if _, err := f.WriteAt(append(text, '\n'), 0); err != nil {
		return w.Explain(err, "locking")
	}
	return nil
}

// self returns a holder that describes this process.
func self(since time.Time) holder {
	host, _ := os.Hostname()
	return holder{PID: os.Getpid(), Host: host, Since: since.Truncate(time.Second)}
}

// Create creates the workspace's folder and its version file if they are missing.
func (w *Workspace) Create() error {
	if err := w.checkVersion(); err != nil {
		return err
	}
	if link := w.ledOut(); link != "" {
		return userr.New(userr.BadInput, "%q is a link that leads out of the workspace, so files written "+
			"there would be elsewhere: put a folder in its place, or link the whole workspace", link)
	}
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return w.Explain(err, "creating")
	}
	if _, err := os.Stat(w.Path("version")); err == nil {
		return nil
	}
	err := files.Write(w.Path("version"), func(f io.Writer) error {
		_, err := fmt.Fprintln(f, layoutVersion)
		return err
	})
	if err != nil {
		return w.Explain(err, "creating")
	}
	return nil
}

// settle removes what a killed run left half-written. This process must hold the lock exclusively,
// so that no other process is writing these files.
func (w *Workspace) settle() error {
	var err error
	for _, dir := range []string{"tmp", "claims", "running"} {
		if err == nil {
			err = os.RemoveAll(w.Path(dir))
		}
	}
	for _, dir := range w.writtenFolders() {
		if err == nil {
			err = files.Sweep(dir)
		}
	}
	if err != nil {
		return w.Explain(err, "clearing the temporary files of")
	}
	for _, dir := range []string{"stages", "tmp", "scratch", "failed", "claims", "running"} {
		if err := os.MkdirAll(w.Path(dir), 0o755); err != nil {
			return w.Explain(err, "creating")
		}
	}
	return w.probe()
}

// probe writes and removes a file of 4 KiB, so that a full disk is noticed before any work begins.
func (w *Workspace) probe() error {
	path := filepath.Join(w.Path("tmp"), "probe")
	err := os.WriteFile(path, make([]byte, 4096), 0o644)
	if removeErr := os.Remove(path); err == nil {
		err = removeErr
	}
	if err != nil {
		return w.Explain(err, "writing to")
	}
	return nil
}

// Unlock releases the workspace.
func (w *Workspace) Unlock() {
	if w.lock == nil {
		return
	}
	w.removeNote()
	_ = w.lock.Close() // closing releases the lock
	w.lock = nil
}

func (w *Workspace) inUse(f *os.File) error {
	var h holder
	if err := json.NewDecoder(io.LimitReader(f, maxNote)).Decode(&h); err != nil || h.PID == 0 {
		return userr.New(userr.BadInput,
			"the workspace %q is in use by another run: wait for it to end or name another workspace", w.Dir)
	}
	return userr.New(userr.BadInput, "the workspace %q is in use by process %d on %s since %s: "+
		"wait for it to end, stop it, or name another workspace",
		w.Dir, h.PID, h.Host, h.Since.Format("2006-01-02 15:04:05"))
}

// Claim is the right to run a stage, which only one process can have. It is a lock on a file, so it
// ends at the latest when the process ends.
type Claim struct{ file *os.File }

// Claim claims a stage until Release. It returns nil if another process has the claim. This process
// must have joined the workspace (Join).
func (w *Workspace) Claim(s *plan.Stage) (*Claim, error) {
	path := w.Path("claims", string(s.Name)+"-"+s.ID)
	for {
		f, err := files.OpenKept(path)
		if err != nil {
			return nil, w.Explain(err, "claiming a stage in")
		}
		if err := files.TryLock(f, files.Exclusive); err != nil {
			_ = f.Close()
			if errors.Is(err, files.ErrHeld) {
				return nil, nil
			}
			return nil, fmt.Errorf("claiming %s: %w", s.Short(), err)
		}
		// The previous owner removes the file on release. A lock on a file that was removed does
		// not count.
		is, err := os.Stat(path)
		if was, _ := f.Stat(); err == nil && os.SameFile(is, was) {
			return &Claim{f}, nil
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, w.Explain(err, "claiming a stage in")
		}
	}
}

// Release releases the stage.
func (c *Claim) Release() {
	_ = os.Remove(c.file.Name()) // remove the file while it is still locked
	_ = c.file.Close()
}
