// Package workspace keeps on disk what the stages of a plan produce. Each stage has a folder that
// is named by the stage's identity and exists only if it is complete. The package also has the
// lock, the records of how stages ran, and the scratch folders from which interrupted stages
// resume. docs/workspace.md describes every file.
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

// layoutVersion is the version of the layout on disk (docs/workspace.md). It increases when a new
// version of the program cannot read what older versions wrote. Workspaces with another layout
// version are refused.
const layoutVersion = 3

// Workspace is a folder of finished stages. A stage's folder is either complete or absent.
type Workspace struct {
	Dir   string // absolute
	lock  *os.File
	since time.Time // when this process got the lock
	note  *os.File  // status note of this process; nil until Tell creates it
}

// Open opens the workspace at dir for reading. The folder need not exist, and Open creates nothing.
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolving %q: %w", dir, err)
	}
	w := &Workspace{Dir: abs}
	return w, w.checkVersion()
}

// checkVersion returns an error if the workspace has another layout version, or if the folder is
// not a workspace but contains files.
func (w *Workspace) checkVersion() error {
	text, err := files.ReadSmall(w.Path("version"))
	if errors.Is(err, fs.ErrNotExist) {
		if others, err := w.othersThings(); err != nil || !others {
			return err
		}
		text, err = files.ReadSmall(w.Path("version")) // another run may have created it meanwhile
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

// othersThings reports whether the folder exists and has entries that are not hidden.
func (w *Workspace) othersThings() (bool, error) {
	entries, err := os.ReadDir(w.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, w.Explain(err, "reading")
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }), nil
}

// mustExist returns an error if the folder is not a workspace yet.
func (w *Workspace) mustExist() error {
	if _, err := os.Stat(w.Path("version")); err != nil {
		return userr.New(userr.BadInput, "there is no workspace %q: name a folder that `smlm-exp run` made, "+
			`which has a file "version"`, w.Dir)
	}
	return nil
}

// Path joins names to a path in the workspace.
func (w *Workspace) Path(elem ...string) string {
	return filepath.Join(append([]string{w.Dir}, elem...)...)
}

// StageDir is the folder of a finished stage.
func (w *Workspace) StageDir(s *plan.Stage) string {
	return w.Dir + stagesFolder + string(s.Name) + string(filepath.Separator) + s.ID
}

// stagesFolder is the part of a stage's path between the workspace and the stage's name.
const stagesFolder = string(filepath.Separator) + "stages" + string(filepath.Separator)

// TablesDir is the folder of an experiment's tables.
func (w *Workspace) TablesDir(experiment string) string { return w.Path("tables", experiment) }

// FiguresDir is the folder of an experiment's figures.
func (w *Workspace) FiguresDir(experiment string) string { return w.Path("figures", experiment) }

// PagePath is the file of an experiment's HTML page.
func (w *Workspace) PagePath(experiment string) string { return w.Path("reports", experiment+".html") }

// ScratchDir is the folder from which an interrupted stage resumes.
func (w *Workspace) ScratchDir(s *plan.Stage) string { return w.Path("scratch", string(s.Name), s.ID) }

// FailedPath is the path of the record (".json") or the log (".log") of a stage's last failed try.
func (w *Workspace) FailedPath(s *plan.Stage, ext string) string {
	return w.Path("failed", string(s.Name)+"-"+s.ID+ext)
}

// Failure returns the record of a stage's last try if that try failed and the stage is still not
// finished, else nil.
func (w *Workspace) Failure(s *plan.Stage) *stage.Record {
	r, err := stage.ReadRecord(w.FailedPath(s, ".json"))
	if err != nil || w.Done(s) {
		return nil
	}
	return r
}

// Remove removes a stage's folder atomically, whatever its size.
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
	_ = os.RemoveAll(aside) // if this fails, the next run clears tmp
	return nil
}

// Explain turns an error in using the workspace into a message for the user. The parameter "doing"
// says what failed, such as "reading" or "writing to". The error has code BadInput, except for a
// full disk (userr.CodeOf).
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

// foldersIn lists the folders of a workspace that the program writes to. The value of a folder is
// the number of levels of its subfolders that the program writes to as well.
var foldersIn = map[string]int{
	"stages": 1, "scratch": 2, "tmp": 0, "failed": 0, "claims": 0, "running": 0, "reports": 0, "tables": 1,
	"figures": 1, "slurm": 1, "tensorboard": 2,
}

// ledOut returns the path of a link that leads out of the workspace, or "" if there is none. It
// checks the folders in foldersIn, because the program must not write files elsewhere through a
// link in a workspace that someone else made.
func (w *Workspace) ledOut() string {
	root, err := filepath.EvalSymlinks(w.Dir)
	if err != nil {
		return "" // the workspace does not exist yet
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
				return "" // the link leads nowhere, so nothing can be written through it
			}
			if rel, err := filepath.Rel(root, to); err != nil || !filepath.IsLocal(rel) {
				return path
			}
			return ""
		}
		if levels == 0 || !info.IsDir() {
			return ""
		}
		entries, _ := os.ReadDir(path) // errors are reported by the code that uses the folder
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

// danglingLink returns the target of a link whose target does not exist, and "" for every other
// path.
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

// DiskTrouble says what to do about a full or read-only disk, on which every stage would fail. It
// returns "" for other errors.
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
