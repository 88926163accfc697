package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Check looks at a stage without reading its files to the end: that its record is whole and its own
// and that every file is there and as long as it was. The error is fs.ErrNotExist where there is no
// such stage, else a *Damage.
func (w *Workspace) Check(s *plan.Stage) error {
	r, err := w.Record(s)
	if err != nil {
		return err
	}
	for name, f := range r.Files {
		if _, err := w.look(s, w.filePath(s, name), name, f); err != nil {
			return err
		}
	}
	return nil
}

// CheckAll is Check of several, on all cores.
func (w *Workspace) CheckAll(stages []*plan.Stage) map[*plan.Stage]error {
	found := make([]error, len(stages))
	machine.Each(len(stages), func(i int) { found[i] = w.Check(stages[i]) })
	out := make(map[*plan.Stage]error, len(stages))
	for i, s := range stages {
		out[s] = found[i]
	}
	return out
}

// look says that a file is there and as long as it was; else the error is a *Damage.
func (w *Workspace) look(s *plan.Stage, path, name string, want stage.File) (stat, error) {
	switch now, regular, err := statOf(path); {
	case errors.Is(err, fs.ErrNotExist):
		return now, w.damage(s, name, "is missing")
	case err != nil:
		return now, w.damage(s, name, "cannot be read: "+err.Error())
	case !regular:
		return now, w.damage(s, name, "is no file any more")
	case now.size != want.Size:
		return now, w.damage(s, name, fmt.Sprintf("has %d bytes and was written with %d", now.size, want.Size))
	default:
		return now, nil
	}
}

// filePath is that of a file, named as records do, in the folder of a stage. Thousands are looked
// at for a table, and nothing in these names needs filepath.Join.
func (w *Workspace) filePath(s *plan.Stage, name string) string {
	return w.StageDir(s) + string(filepath.Separator) + filepath.FromSlash(name)
}

// stat is what tells that a file was written to.
type stat struct {
	size, modified int64
}

func statOf(path string) (now stat, regular bool, err error) {
	now.size, now.modified, regular, err = files.Stat(path)
	return now, regular, err
}
