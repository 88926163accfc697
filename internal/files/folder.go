package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// EmptyFolder returns an error if dir is not empty, because the output of a command would then mix
// with other files. Hidden files do not count, because file managers create them. EmptyFolder also
// returns an error if dir is a file or is below a file. WriteFolder calls EmptyFolder. Commands
// also call it before long work, so that they fail early.
func EmptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return cannotWrite(dir, err)
	}
	isVisible := func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }
	if err == nil && slices.ContainsFunc(entries, isVisible) {
		return userr.New(userr.BadInput, "the folder %q is not empty: name another one", dir)
	}
	return nil
}

// WriteFolder writes a folder, which must be new or empty. It creates missing parents, lets the
// function fill write files to a temporary folder inside dir, and moves these files into dir. After
// an error everything is as before, and the folders that WriteFolder created are gone. The
// temporary folder is inside dir so that it is on the same disk as dir, and so that no permission
// to write in dir's parent is needed.
func WriteFolder(dir string, fill func(temporary string) error) (err error) {
	if err := EmptyFolder(dir); err != nil {
		return err
	}
	created := missing(dir)
	defer func() {
		for i := 0; err != nil && i < len(created); i++ {
			_ = os.Remove(created[i]) // ignore this error: err is more important
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cannotWrite(dir, err)
	}
	temporary, err := os.MkdirTemp(dir, ".unfinished-")
	if err != nil {
		return cannotWrite(dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if err := fill(temporary); err != nil {
		return err
	}
	names, err := os.ReadDir(temporary)
	for i, name := range names {
		if err = os.Rename(filepath.Join(temporary, name.Name()), filepath.Join(dir, name.Name())); err != nil {
			for _, moved := range names[:i] {
				_ = os.RemoveAll(filepath.Join(dir, moved.Name())) // ignore this error: err is more important
			}
			break
		}
	}
	return err
}

// missing lists the folders that have to be created, the deepest first.
func missing(dir string) (dirs []string) {
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return dirs
		}
		dirs = append(dirs, dir)
		dir = filepath.Dir(dir)
	}
}

// cannotWrite returns the error for the user if a folder cannot be created or written to.
func cannotWrite(dir string, err error) error {
	return userr.New(userr.BadInput, "the folder %q cannot be written (%w): name another one", dir, Cause(err))
}
