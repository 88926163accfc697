package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// holder is the content of the file "lock": who runs stages in the workspace. It means nothing
// unless the file is locked.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Lock makes the workspace this process's own until Unlock, creating its folders where they are
// missing, and clears what a killed run left half-written. A workspace in use, read-only or on a
// full disk is an error of kind userr.BadInput.
func (w *Workspace) Lock() error {
	if err := w.Create(); err != nil {
		return err
	}
	if err := w.hold(); err != nil {
		return err
	}
	if err := w.settle(); err != nil {
		w.Unlock()
		return err
	}
	return nil
}

// Hold is Lock for a workspace that must be there, and clears nothing.
func (w *Workspace) Hold() error {
	if err := w.mustExist(); err != nil {
		return err
	}
	return w.hold()
}

// Others look whether a workspace is in use by a lock that they hold for a moment: so often it is
// tried before a lock counts as a run's.
const lockTries = 20

// betweenTries waits; a test does something else.
var betweenTries = func() { time.Sleep(10 * time.Millisecond) }

// hold takes the lock and signs it.
func (w *Workspace) hold() (err error) {
	if w.lock != nil {
		return errors.New("the workspace is locked already")
	}
	f, err := os.OpenFile(w.Path("lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return w.Explain(err, "locking")
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	for range lockTries {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		betweenTries()
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return w.inUse(f)
	} else if err != nil {
		return w.Explain(err, "locking")
	}
	host, _ := os.Hostname()
	me := holder{PID: os.Getpid(), Host: host, Since: time.Now().Truncate(time.Second)}
	text, err := json.Marshal(me)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return w.Explain(err, "locking")
	}
	if _, err := f.WriteAt(append(text, '\n'), 0); err != nil {
		return w.Explain(err, "locking")
	}
	w.lock, w.holder = f, me
	return nil
}

// Create makes the workspace's folder and its version file where they are missing.
func (w *Workspace) Create() error {
	if err := w.checkVersion(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return w.Explain(err, "creating")
	}
	if _, err := os.Stat(w.Path("version")); err == nil {
		return nil
	}
	err := atomicfile.Write(w.Path("version"), func(f io.Writer) error {
		_, err := fmt.Fprintln(f, layoutVersion)
		return err
	})
	if err != nil {
		return w.Explain(err, "creating")
	}
	return nil
}

// settle clears what a killed run left half-written; nobody else writes stages while the lock is
// held.
func (w *Workspace) settle() error {
	err := os.RemoveAll(w.Path("tmp"))
	if err == nil {
		err = w.removeRunning()
	}
	for _, dir := range w.writtenFolders() {
		if err == nil {
			err = atomicfile.Sweep(dir)
		}
	}
	if err != nil {
		return w.Explain(err, "clearing the temporary files of")
	}
	for _, dir := range []string{"stages", "tmp", "scratch", "failed"} {
		if err := os.MkdirAll(w.Path(dir), 0o755); err != nil {
			return w.Explain(err, "creating")
		}
	}
	return w.probe()
}

// probe writes and removes a page, so that a full disk is noticed before any work is done.
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

// Unlock gives the workspace back.
func (w *Workspace) Unlock() {
	if w.lock == nil {
		return
	}
	if w.told {
		_ = w.removeRunning()
		w.told = false
	}
	_ = w.lock.Close() // closing releases the lock
	w.lock = nil
}

func (w *Workspace) inUse(f *os.File) error {
	var h holder
	if err := json.NewDecoder(f).Decode(&h); err != nil || h.PID == 0 {
		return userr.New(userr.BadInput,
			"the workspace %q is in use by another run: wait for it to end or name another workspace", w.Dir)
	}
	return userr.New(userr.BadInput, "the workspace %q is in use by process %d on %s since %s: "+
		"wait for it to end, stop it, or name another workspace",
		w.Dir, h.PID, h.Host, h.Since.Format("2006-01-02 15:04:05"))
}
