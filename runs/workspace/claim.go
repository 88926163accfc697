package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Claim is a stage that this process runs and no other: a locked file, which its process's end
// unlocks, however that comes.
type Claim struct{ file *os.File }

// Claim claims a stage until it is released; nil where another process has it. The workspace must
// be joined.
func (w *Workspace) Claim(s *plan.Stage) (*Claim, error) {
	path := w.Path("claims", string(s.Kind)+"-"+s.ID)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, w.Explain(err, "claiming a stage in")
		}
		if err := files.TryLock(f, files.Alone); err != nil {
			_ = f.Close()
			if errors.Is(err, files.ErrHeld) {
				return nil, nil
			}
			return nil, fmt.Errorf("claiming %s: %w", s.Short(), err)
		}
		// Who released it before has removed the file: a lock on that one says nothing.
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

// Release gives the stage back.
func (c *Claim) Release() {
	_ = os.Remove(c.file.Name()) // while it is locked
	_ = c.file.Close()
}
