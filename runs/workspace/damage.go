package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/smlm-exp/smlm-exp/runs/plan"
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
	record *Record
}

// stat is what tells that a file was written to.
type stat struct {
	size, modified int64
}

func statOf(info fs.FileInfo) stat { return stat{info.Size(), info.ModTime().UnixNano()} }

// damage is the error of a stage whose file is not right.
func (w *Workspace) damage(s *plan.Stage, name, what string) *Damage {
	return &Damage{s, filepath.Join(w.StageDir(s), filepath.FromSlash(name)), what}
}

// Check looks at a stage without reading its files to the end: that its record is whole and its own
// and that every file is there and as long as it was. The error is fs.ErrNotExist where there is no
// such stage, else a *Damage.
func (w *Workspace) Check(s *plan.Stage) error {
	r, err := w.record(s)
	if err != nil {
		return err
	}
	for name, f := range r.Files {
		switch info, err := os.Stat(filepath.Join(w.StageDir(s), filepath.FromSlash(name))); {
		case errors.Is(err, fs.ErrNotExist):
			return w.damage(s, name, "is missing")
		case err != nil:
			return w.damage(s, name, "cannot be read: "+err.Error())
		case !info.Mode().IsRegular():
			return w.damage(s, name, "is no file any more")
		case info.Size() != f.Size:
			return w.damage(s, name, fmt.Sprintf("has %d bytes and was written with %d", info.Size(), f.Size))
		}
	}
	return nil
}

// record returns a stage's record, read once while it stays as it is.
func (w *Workspace) record(s *plan.Stage) (*Record, error) {
	path := filepath.Join(w.StageDir(s), recordFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(w.StageDir(s)); err == nil {
			return nil, w.damage(s, recordFile, "is missing")
		}
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, w.damage(s, recordFile, "cannot be read: "+err.Error())
	}
	w.known.Lock()
	defer w.known.Unlock()
	if k, ok := w.known.records[path]; ok && k.stat == statOf(info) {
		return k.record, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, w.damage(s, recordFile, "cannot be read: "+err.Error())
	}
	r, err := unseal(text)
	switch {
	case err != nil:
		return nil, w.damage(s, recordFile, "is not as it was written")
	case r.ID != s.ID || r.Kind != s.Kind || r.State != "done":
		return nil, w.damage(s, recordFile, "is that of another stage")
	}
	if w.known.records == nil {
		w.known.records = map[string]seen{}
	}
	w.known.records[path] = seen{statOf(info), r}
	return r, nil
}

// File returns the path of a finished stage's file, after it was read to the end once in this
// process and found as the stage left it. The error is a *Damage or fs.ErrNotExist.
func (w *Workspace) File(s *plan.Stage, name string) (string, error) {
	r, err := w.record(s)
	if err != nil {
		return "", err
	}
	path := filepath.Join(w.StageDir(s), filepath.FromSlash(name))
	want, ok := r.Files[name]
	if !ok {
		return path, fmt.Errorf("%q of %s: %w", name, s.Title(), fs.ErrNotExist)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", w.damage(s, name, "is missing")
	}
	w.known.Lock()
	whole := w.known.files[path] == statOf(info)
	w.known.Unlock()
	if whole {
		return path, nil
	}
	if !info.Mode().IsRegular() {
		return "", w.damage(s, name, "is no file any more")
	}
	switch got, err := digest(path); {
	case err != nil:
		return "", w.damage(s, name, "cannot be read: "+err.Error())
	case got.Size != want.Size:
		return "", w.damage(s, name, fmt.Sprintf("has %d bytes and was written with %d", got.Size, want.Size))
	case got.SHA256 != want.SHA256:
		return "", w.damage(s, name, "has other bytes than were written")
	}
	w.known.Lock()
	defer w.known.Unlock()
	if w.known.files == nil {
		w.known.files = map[string]stat{}
	}
	w.known.files[path] = statOf(info)
	return path, nil
}

// Verify reads all files of the stages that are there to the end and returns what is damaged, in
// the order given.
func (w *Workspace) Verify(stages ...*plan.Stage) []*Damage {
	found := make([]*Damage, len(stages))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(stages); i = int(next.Add(1)) - 1 {
				_ = errors.As(w.Whole(stages[i]), &found[i])
			}
		})
	}
	readers.Wait()
	return slices.DeleteFunc(found, func(d *Damage) bool { return d == nil })
}

// Whole is Check, and reads all files to the end that this process has not yet found right.
func (w *Workspace) Whole(s *plan.Stage) error {
	if err := w.Check(s); err != nil {
		return err
	}
	r, err := w.record(s)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if _, err := w.File(s, name); err != nil {
			return err
		}
	}
	return nil
}
