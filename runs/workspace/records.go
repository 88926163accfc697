package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
)

// Records reads the records of all finished stages in the workspace; unreadable ones are left out.
func (w *Workspace) Records() []*Record {
	var out []*Record
	kinds, _ := os.ReadDir(w.Path("stages"))
	for _, kind := range kinds {
		ids, _ := os.ReadDir(w.Path("stages", kind.Name()))
		for _, id := range ids {
			if r, err := ReadRecord(w.Path("stages", kind.Name(), id.Name(), "stage.json")); err == nil {
				out = append(out, r)
			}
		}
	}
	return out
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

// WriteRecord writes a record as stage.json has it.
func WriteRecord(path string, r *Record) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
}
