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
	"sync"
	"sync/atomic"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Damage is what is wrong with a finished stage: a file that is not as the stage left it.
type Damage struct {
	Stage *plan.Stage
	Path  string // of the file
	What  string // "is missing"
}

func (d *Damage) Error() string {
	return fmt.Sprintf("the stage %s is damaged: %q %s; `smlm-exp run` makes the stage again", d.Stage.Title(), d.Path,
		d.What)
}

// known is what this process has found whole.
type known struct {
	sync.Mutex
	records map[string]seen // by path of stage.json
	files   map[string]stat // by path: read to the end and found right, while it looked like this
}

type seen struct {
	stat
	record *stage.Record
}

// damage is the error of a stage whose file is not right.
func (w *Workspace) damage(s *plan.Stage, name, what string) *Damage {
	return &Damage{s, w.filePath(s, name), what}
}

// Record returns the record of a finished stage. The error is as Check's.
func (w *Workspace) Record(s *plan.Stage) (*stage.Record, error) {
	r, err := w.read(w.filePath(s, stage.RecordFile))
	var unread *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(w.StageDir(s)); err == nil {
			return nil, w.damage(s, stage.RecordFile, "is missing")
		}
		return nil, fs.ErrNotExist
	case errors.As(err, &unread):
		return nil, w.damage(s, stage.RecordFile, "cannot be read: "+unread.Error())
	case err != nil || r.State != stage.Done:
		return nil, w.damage(s, stage.RecordFile, "has been changed")
	case r.ID != s.ID || r.Name != s.Name:
		return nil, w.damage(s, stage.RecordFile, "belongs to another stage")
	}
	return r, nil
}

// read is ReadRecord, once while the file stays as it is.
func (w *Workspace) read(path string) (*stage.Record, error) {
	now, regular, err := statOf(path)
	switch {
	case err != nil:
		return nil, err
	case !regular:
		return nil, &fs.PathError{Op: "read", Path: path, Err: files.ErrNotRegular}
	}
	w.known.Lock()
	k, ok := w.known.records[path]
	w.known.Unlock()
	if ok && k.stat == now {
		return k.record, nil
	}
	r, err := stage.ReadRecord(path)
	if err == nil {
		w.known.Lock()
		w.known.records[path] = seen{now, r}
		w.known.Unlock()
	}
	return r, err
}

// File returns the path of a finished stage's file, after it was read to the end once in this
// process and found as the stage left it. The error is a *Damage or fs.ErrNotExist.
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
	return path, w.whole(s, name, want)
}

// Refresh looks up again which stages of a name are finished. A network file system may remember
// for a while that a stage was not there, although another machine has finished it since.
func (w *Workspace) Refresh(s *plan.Stage) { _, _ = os.ReadDir(filepath.Dir(w.StageDir(s))) }

// ReadJSON decodes a file of a finished stage, which it finds as File does.
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

// whole reads a file to the end, unless this process has found it right before.
func (w *Workspace) whole(s *plan.Stage, name string, want stage.File) error {
	path := w.filePath(s, name)
	now, err := w.look(s, path, name, want)
	if err != nil {
		return err
	}
	w.known.Lock()
	before := w.known.files[path] == now
	w.known.Unlock()
	if before {
		return nil
	}
	switch sum, err := files.SHA256OfRegular(path); {
	case err != nil:
		return w.damage(s, name, "cannot be read: "+err.Error())
	case sum != want.SHA256:
		return w.damage(s, name, "has other contents than were written")
	}
	w.known.Lock()
	defer w.known.Unlock()
	w.known.files[path] = now
	return nil
}

// WholeFolder reads the files of a stage's folder, which may be in another workspace than one that
// is open, to the end: the error says which of them is not as its record has it.
func WholeFolder(dir string, r *stage.Record) error {
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		size, _, regular, err := files.Stat(path)
		whole := err == nil && regular && size == r.Files[name].Size
		if whole {
			sum, err := files.SHA256OfRegular(path)
			whole = err == nil && sum == r.Files[name].SHA256
		}
		if !whole {
			return userr.New(userr.BadInput, "%q has changed since the stage wrote it: `smlm-exp run` of its "+
				"experiment makes the stage again", path)
		}
	}
	return nil
}

// Whole is Check, and reads all files to the end that this process has not yet found right.
func (w *Workspace) Whole(s *plan.Stage) error {
	r, err := w.Record(s)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if err := w.whole(s, name, r.Files[name]); err != nil {
			return err
		}
	}
	return nil
}

// Verify reads all files of the stages that are there to the end and returns what is damaged, in
// the order given.
func (w *Workspace) Verify(stages ...*plan.Stage) []*Damage {
	found := make([]*Damage, len(stages))
	machine.Parallel(len(stages), func(i int) { _ = errors.As(w.Whole(stages[i]), &found[i]) })
	return slices.DeleteFunc(found, func(d *Damage) bool { return d == nil })
}

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
	machine.Parallel(len(stages), func(i int) { found[i] = w.Check(stages[i]) })
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
		return now, w.damage(s, name, "is no longer a file")
	case now.size != want.Size:
		return now, w.damage(s, name, fmt.Sprintf("has %d bytes, but was written with %d", now.size, want.Size))
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

// smallFile is up to which size Ahead reads files, in bytes: tables are made of such, and models
// are larger.
const smallFile = 128 << 10

// Ahead begins to look through what is finished, on another core: all records, and all smaller
// files to their end. What is found right by then needs no look when a plan asks for it; what is
// damaged is told then. The function that it returns ends that.
func (w *Workspace) Ahead() (end func()) {
	var ended atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for _, name := range stages.Names() {
			for id := range entriesOf(w.Path("stages", string(name))) {
				if ended.Load() {
					return
				}
				w.ahead(&plan.Stage{Name: name, ID: id}, &ended)
			}
		}
	})
	return func() {
		ended.Store(true)
		reader.Wait()
	}
}

func (w *Workspace) ahead(s *plan.Stage, ended *atomic.Bool) {
	r, err := w.Record(s)
	if err != nil {
		return
	}
	for name, f := range r.Files {
		if f.Size <= smallFile && !ended.Load() {
			_ = w.whole(s, name, f) // who needs it is told
		}
	}
}
