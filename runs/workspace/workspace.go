// Package workspace keeps on disk what the stages of a plan produce, each in a folder under its
// identity: present means complete. It holds the lock, the records that say how a stage ran, and
// the scratch folders that an interrupted stage goes on from. docs/workspace.md describes every
// file.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// layoutVersion is the version of the layout on disk that docs/workspace.md describes. It is raised
// where a program could not read what the one before wrote, which is then refused.
const layoutVersion = 3

// Workspace is a folder of finished stages. A stage's folder is either complete or absent.
type Workspace struct {
	Dir   string // absolute
	lock  *os.File
	since time.Time // this process has the lock
	note  *os.File  // of what it does; nil before it said
}

// Open opens the workspace at dir for reading; it need not exist yet. It creates nothing: Lock
// does.
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolving %q: %w", dir, err)
	}
	w := &Workspace{Dir: abs}
	return w, w.checkVersion()
}

// checkVersion refuses a workspace of another version, and a folder with other things in it.
func (w *Workspace) checkVersion() error {
	text, err := files.ReadSmall(w.Path("version"))
	if errors.Is(err, fs.ErrNotExist) {
		if others, err := w.othersThings(); err != nil || !others {
			return err
		}
		text, err = files.ReadSmall(w.Path("version")) // another run may have made it meanwhile
	}
	switch {
	case err == nil:
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || n < 1 {
			return userr.New(userr.BadInput, "%q does not contain the number of a workspace version: restore "+
				"it (%d), or name another workspace", w.Path("version"), layoutVersion)
		}
		if n > layoutVersion {
			return userr.New(userr.BadInput, "the workspace %q has version %d, but this program knows version "+
				"%d: use a newer smlm-exp or another workspace", w.Dir, n, layoutVersion)
		}
		if n < layoutVersion {
			return userr.New(userr.BadInput, "the workspace %q has version %d, but this program knows version "+
				"%d: name another workspace, in which everything runs again, or use the smlm-exp that made "+
				"this one", w.Dir, n,
				layoutVersion)
		}
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(w.Path("stages")); err == nil {
			return userr.New(userr.BadInput, `the folder %q has stages but no file "version": if it is a `+
				"workspace that lost it, write %d into one; if not, name another folder", w.Dir, layoutVersion)
		}
		return userr.New(userr.BadInput,
			"the folder %q is not empty and is not a workspace (it has no file %q): name another one", w.Dir, "version")
	}
	return w.Explain(err, "reading")
}

// othersThings says whether the folder is there and holds something that is not hidden.
func (w *Workspace) othersThings() (bool, error) {
	entries, err := os.ReadDir(w.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, w.Explain(err, "reading")
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }), nil
}

// mustExist refuses a folder that is no workspace yet.
func (w *Workspace) mustExist() error {
	if _, err := os.Stat(w.Path("version")); err != nil {
		return userr.New(userr.BadInput, "there is no workspace %q: name a folder that `smlm-exp run` made, "+
			`which has a file "version"`, w.Dir)
	}
	return nil
}

// Path joins names to the path of a file or folder in the workspace.
func (w *Workspace) Path(elem ...string) string {
	return filepath.Join(append([]string{w.Dir}, elem...)...)
}

// StageDir is the folder of a finished stage.
func (w *Workspace) StageDir(s *plan.Stage) string {
	return w.Dir + stagesFolder + string(s.Name) + string(filepath.Separator) + s.ID
}

// stagesFolder is where finished stages are, between the workspace's path and a stage's name.
const stagesFolder = string(filepath.Separator) + "stages" + string(filepath.Separator)

// TablesDir is the folder of an experiment's tables.
func (w *Workspace) TablesDir(experiment string) string { return w.Path("tables", experiment) }

// FiguresDir is the folder of an experiment's figures.
func (w *Workspace) FiguresDir(experiment string) string { return w.Path("figures", experiment) }

// PagePath is the file of an experiment's HTML page.
func (w *Workspace) PagePath(experiment string) string { return w.Path("reports", experiment+".html") }

// ScratchDir is where a stage keeps what it goes on from after an interruption.
func (w *Workspace) ScratchDir(s *plan.Stage) string { return w.Path("scratch", string(s.Name), s.ID) }

// FailedPath is where the record (".json") and the log (".log") of the last failed try of a stage
// are.
func (w *Workspace) FailedPath(s *plan.Stage, ext string) string {
	return w.Path("failed", string(s.Name)+"-"+s.ID+ext)
}

// Failure reads the record of a stage's last try, if it failed and has not been finished since; nil
// otherwise.
func (w *Workspace) Failure(s *plan.Stage) *stage.Record {
	r, err := stage.ReadRecord(w.FailedPath(s, ".json"))
	if err != nil || w.Done(s) {
		return nil
	}
	return r
}

// Remove takes a stage's folder away at once, whatever its size.
func (w *Workspace) Remove(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	aside, err := os.MkdirTemp(w.Path("tmp"), "removed-")
	if err == nil {
		err = os.Rename(dir, filepath.Join(aside, "stage"))
	}
	if err != nil {
		return fmt.Errorf("removing the old %q: %w", dir, err)
	}
	_ = os.RemoveAll(aside) // what is left goes with the next run's tmp
	return nil
}

// Explain words a failure to use the workspace; doing is "creating", "reading" or "writing to". Its
// code is that of bad input, but for a full disk (userr.CodeOf).
func (w *Workspace) Explain(err error, doing string) error {
	what := DiskTrouble(err)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		what = "you may not write there: change its permissions, or name a workspace elsewhere"
	} else if errors.Is(err, syscall.ENOTDIR) {
		what = "there is a file where a folder is needed: remove it, or name another workspace"
	} else if to := danglingLink(w.Dir); to != "" {
		return userr.New(userr.BadInput, "the workspace %q is a link to %q, which does not exist: mount or "+
			"create it, or name another workspace", w.Dir, to)
	}
	if what != "" {
		return userr.New(userr.BadInput, "%s the workspace %q: %s (%w)", doing, w.Dir, what, err)
	}
	return userr.New(userr.BadInput, "%s the workspace %q: %w", doing, w.Dir, err)
}

// foldersIn are the folders that are written to, with the levels of folders below that are too.
var foldersIn = map[string]int{
	"stages": 1, "scratch": 2, "tmp": 0, "failed": 0, "claims": 0, "running": 0, "experiments": 0, "reports": 0, "tables": 1,
	"figures": 1, "slurm": 1, "tensorboard": 2,
}

// ledOut returns a link in place of one of these that leads out of the workspace, "" where there is
// none: a workspace of others must not have files written elsewhere.
func (w *Workspace) ledOut() string {
	root, err := filepath.EvalSymlinks(w.Dir)
	if err != nil {
		return "" // it is to be made yet
	}
	var look func(path string, levels int) string
	look = func(path string, levels int) string {
		info, err := os.Lstat(path)
		if err != nil {
			return ""
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, err := filepath.EvalSymlinks(path)
			if err != nil {
				return "" // nothing can be written there
			}
			if rel, err := filepath.Rel(root, to); err != nil || !filepath.IsLocal(rel) {
				return path
			}
			return ""
		}
		if levels == 0 || !info.IsDir() {
			return ""
		}
		entries, _ := os.ReadDir(path) // who needs them says why they cannot be read
		for _, e := range entries {
			if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
				if link := look(filepath.Join(path, e.Name()), levels-1); link != "" {
					return link
				}
			}
		}
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(foldersIn)) {
		if link := look(w.Path(name), foldersIn[name]); link != "" {
			return link
		}
	}
	return ""
}

// danglingLink returns where a link leads that leads nowhere, "" of all else.
func danglingLink(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return to
}

// DiskTrouble says what to do about a full or read-only disk, which no other stage can escape
// either; "" for other errors.
func DiskTrouble(err error) string {
	switch {
	case userr.FullDisk(err):
		return "the disk is full: free some space, or name a workspace elsewhere, then run the same command " +
			"again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: name a workspace elsewhere"
	}
	return ""
}
