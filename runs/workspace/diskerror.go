package workspace

import (
	"errors"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Explain words a failure to use the workspace; doing is "creating", "reading" or "writing to".
func (w *Workspace) Explain(err error, doing string) error {
	what := DiskTrouble(err)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		what = "you may not write there: correct its rights or name a workspace elsewhere"
	} else if errors.Is(err, syscall.ENOTDIR) {
		what = "a file stands where a folder is needed: remove it or name another workspace"
	}
	if what != "" {
		return userr.New(userr.BadInput, "%s the workspace %q: %s (%w)", doing, w.Dir, what, err)
	}
	return userr.New(userr.BadInput, "%s the workspace %q: %w", doing, w.Dir, err)
}

// DiskTrouble says what to do about a full or read-only disk, which no other stage can escape
// either; "" for other errors.
func DiskTrouble(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full: free some space or name a workspace elsewhere, then run the same command again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: name a workspace elsewhere"
	}
	return ""
}
