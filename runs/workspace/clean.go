package workspace

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Leftover is a file or folder of the workspace that is not a finished stage and that nobody needs.
type Leftover struct {
	Path string // relative to the workspace's folder
	What string
	Size int64 // bytes
}

// Leftovers lists what can be removed besides finished stages. The caller must hold the lock. If
// the function wanted returns true for the identity of an unfinished stage, Leftovers does not list
// the checkpoints of this stage.
func (w *Workspace) Leftovers(wanted func(id string) bool) ([]Leftover, error) {
	root, err := w.inside()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []Leftover
	add := func(name, what string) { out = append(out, Leftover{name, what, sizeOf(root, name)}) }
	for _, name := range namesIn(root, "tmp", nil) {
		add(path.Join("tmp", name), "half-written")
	}
	eachScratch(root, func(k, id string) {
		switch name := path.Join("scratch", k, id); {
		case w.has(k, id):
			add(name, "checkpoints of a finished stage")
		case !wanted(id):
			add(name, "checkpoints of a stage that no file needs")
		}
	})
	for _, name := range namesIn(root, "failed", nil) {
		if !strings.HasPrefix(name, ".") {
			add(path.Join("failed", name), "record of a failed try")
		}
	}
	for _, name := range w.leftTemporary() {
		rel, err := filepath.Rel(w.Dir, name)
		// Temporary files in scratch are skipped, because their folder may be in the list already.
		inScratch := strings.HasPrefix(rel, "scratch"+string(filepath.Separator))
		if err == nil && !inScratch {
			add(filepath.ToSlash(rel), "half-written")
		}
	}
	for _, name := range namesIn(root, "running", nil) {
		add(path.Join("running", name), "note of a killed run")
	}
	return out, nil
}

// Discard removes finished stages and leftovers. The lock must be held. Nothing outside the
// workspace's folder is touched, even through links.
func (w *Workspace) Discard(stages []Kept, rest []Leftover) error {
	if w.lock == nil {
		return errors.New("the workspace is not locked")
	}
	root, err := w.inside()
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir("tmp", 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return w.Explain(err, "cleaning")
	}
	for i := range stages {
		aside := fmt.Sprintf("tmp/removed-%d-%d", os.Getpid(), i)
		if err := root.Rename(stages[i].path(), aside); err != nil { // atomic: no stage is ever half removed
			return w.Explain(err, "cleaning")
		}
		if err := root.RemoveAll(aside); err != nil {
			return w.Explain(err, "cleaning")
		}
		_ = root.Remove(path.Dir(stages[i].path())) // fails, as it should, while the folder has other stages
	}
	for _, l := range rest {
		if err := root.RemoveAll(l.Path); err != nil {
			return w.Explain(err, "cleaning")
		}
		if strings.HasPrefix(l.Path, "scratch/") {
			_ = root.Remove(path.Dir(l.Path))
		}
	}
	return nil
}
