package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Explain words the failure to write the file at path that a user named with an option: what is
// wrong there and what to do, in place of the system's words about a temporary file. A full disk is
// no wrong input. Of other errors it says that path was not written.
func Explain(option, path string, err error) error {
	info, gone := os.Stat(path)
	dir := filepath.Dir(path)
	parent, noParent := os.Stat(dir)
	switch {
	case gone == nil && info.IsDir():
		return userr.New(userr.BadInput, "%s: %q is a folder: name a file, in it or elsewhere", option, path)
	case gone == nil && !info.Mode().IsRegular():
		return userr.New(userr.BadInput, "%s: %q is no regular file: name another one", option, path)
	case errors.Is(noParent, fs.ErrNotExist):
		return userr.New(userr.BadInput, "%s: there is no folder %q: make it, or name a file in another one", option, dir)
	case noParent == nil && !parent.IsDir(), errors.Is(noParent, syscall.ENOTDIR):
		return userr.New(userr.BadInput, "%s: %q is no folder: name a file in one", option, dir)
	case errors.Is(err, syscall.EROFS):
		return userr.New(userr.BadInput, "%s: %q is on a read-only file system: name a file elsewhere", option, path)
	case errors.Is(err, fs.ErrPermission):
		return userr.New(userr.BadInput, "%s: you may not write %q: correct the rights of its folder or name a file elsewhere",
			option, path)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return userr.New(userr.StageFailed, "%s: the disk is full, so %q was not written: free some space or name a file "+
			"elsewhere", option, path)
	}
	return userr.New(userr.StageFailed, "%s: %q was not written: %w", option, path, cause(err))
}

// cause strips operation and paths, which are of a temporary file.
func cause(err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	if of := (*os.LinkError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}
