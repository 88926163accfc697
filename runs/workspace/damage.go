package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Damage is the error for a damaged file of a finished stage.
type Damage struct {
	Stage *plan.Stage
	Path  string // path of the damaged file
	What  string // what is wrong, such as "is missing"
}

func (d *Damage) Error() string {
	return fmt.Sprintf("the stage %s is damaged: %q %s; `smlm-exp verify --repair` removes damaged stages, and the "+
		"next run makes them again", d.Stage.Title(), d.Path, d.What)
}

// damage returns the error for a damaged file of a stage.
func (w *Workspace) damage(s *plan.Stage, name, what string) *Damage {
	return &Damage{s, w.filePath(s, name), what}
}

// Done reports whether a stage is finished. A stage is finished if its folder has a record, because
// the record is written last.
func (w *Workspace) Done(s *plan.Stage) bool {
	_, err := os.Stat(w.filePath(s, stage.RecordFile))
	return err == nil
}

// Record returns the record of a finished stage. The error is fs.ErrNotExist if the stage is not
// finished, else a *Damage.
func (w *Workspace) Record(s *plan.Stage) (*stage.Record, error) {
	r, err := stage.ReadRecord(w.filePath(s, stage.RecordFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case errors.As(err, new(*fs.PathError)):
		return nil, w.damage(s, stage.RecordFile, "cannot be read: "+files.Cause(err).Error())
	case err != nil || r.State != stage.Done:
		return nil, w.damage(s, stage.RecordFile, "has been changed")
	case r.ID != s.ID || r.Name != s.Name:
		return nil, w.damage(s, stage.RecordFile, "belongs to another stage")
	}
	return r, nil
}

// File returns the path of a finished stage's file after comparing its size and sha256 with the
// record. The error is a *Damage or fs.ErrNotExist.
func (w *Workspace) File(s *plan.Stage, name string) (string, error) {
	r, err := w.Record(s)
	if err != nil {
		return "", err
	}
	path := w.filePath(s, name)
	want, ok := r.Files[name]
	if !ok {
		return path, fmt.Errorf("%q of %s: %w", name, s.Title(), fs.ErrNotExist)
	}
	return path, w.compare(s, name, want)
}

// Refresh reads the folder that contains the stage's folder. Without that, a network file system
// may report that a stage is missing although another machine has finished it.
func (w *Workspace) Refresh(s *plan.Stage) { _, _ = os.ReadDir(filepath.Dir(w.StageDir(s))) }

// ReadJSON decodes a file of a finished stage. Before that, it compares the file with the record,
// as File does.
func (w *Workspace) ReadJSON(s *plan.Stage, name string, into any) error {
	path, err := w.File(s, name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the result of %s: %w", s.Title(), err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("reading the result of %s, %q: %w", s.Title(), path, err)
	}
	return nil
}

// compare compares a file with its entry in the record. The error is a *Damage.
func (w *Workspace) compare(s *plan.Stage, name string, want stage.File) error {
	path := w.filePath(s, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.damage(s, name, "is missing")
	case err != nil:
		return w.damage(s, name, "cannot be read: "+err.Error())
	case !info.Mode().IsRegular():
		return w.damage(s, name, "is no longer a file")
	case info.Size() != want.Size:
		return w.damage(s, name, fmt.Sprintf("has %d bytes, but was written with %d", info.Size(), want.Size))
	}
	switch sum, err := files.SHA256(path); {
	case err != nil:
		return w.damage(s, name, "cannot be read: "+err.Error())
	case sum != want.SHA256:
		return w.damage(s, name, "has other contents than were written")
	}
	return nil
}

// Whole compares all files of a finished stage with its record. The error is
// fs.ErrNotExist if the stage is not finished, else a *Damage.
func (w *Workspace) Whole(s *plan.Stage) error {
	r, err := w.Record(s)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if err := w.compare(s, name, r.Files[name]); err != nil {
			return err
		}
	}
	return nil
}

// Verify compares all files of the finished stages with their records. It returns the damaged
// stages in the order given.
func (w *Workspace) Verify(stages ...*plan.Stage) []*Damage {
	found := make([]*Damage, len(stages))
	machine.Parallel(len(stages), func(i int) { _ = errors.As(w.Whole(stages[i]), &found[i]) })
	return slices.DeleteFunc(found, func(d *Damage) bool { return d == nil })
}

// filePath is the path of a file in a stage's folder, given its name in the record. It concatenates
// strings, because filepath.Join is too slow for the thousands of files that a table reads.
func (w *Workspace) filePath(s *plan.Stage, name string) string {
	return w.StageDir(s) + string(filepath.Separator) + filepath.FromSlash(name)
}
