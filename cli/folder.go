package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// notOver refuses to write to a file that the command reads, under whichever name.
func notOver(flag, out string, read ...string) error {
	there, err := os.Stat(out)
	if err != nil {
		return nil // nothing to write over
	}
	for _, path := range read {
		if info, err := os.Stat(path); err == nil && os.SameFile(there, info) {
			return userr.New(userr.BadInput, "%s: %q is an input of this command: name another file", flag, out)
		}
	}
	return nil
}

// emptyFolder refuses a folder that holds something: what a command writes there would lie among
// other things. Hidden files, which file managers leave in every folder that they show, do not
// count. It refuses a file too, and what would be below one, before a command has worked.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return belowFile(dir)
	}
	shown := func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }
	if err == nil && slices.ContainsFunc(entries, shown) {
		return userr.New(userr.BadInput, "the folder %q is not empty: name another one", dir)
	}
	return nil
}

// makeFolder makes a folder and those above it.
func makeFolder(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return belowFile(dir)
	case errors.Is(err, fs.ErrPermission):
		return userr.New(userr.BadInput, "you may not create the folder %q: change the permissions of its "+
			"parent folder, or name another one", dir)
	case errors.Is(err, syscall.EROFS):
		return userr.New(userr.BadInput, "the folder %q would be on a read-only file system: name one "+
			"elsewhere", dir)
	}
	return userr.New(userr.BadInput, "the folder %q cannot be created (%w): name another one", dir, files.Cause(err))
}

// belowFile says which file stands where a folder is to be.
func belowFile(dir string) error {
	file := dir
	for above := filepath.Dir(file); file != above; above = filepath.Dir(file) {
		if _, err := os.Stat(file); err == nil {
			break
		}
		file = above
	}
	if file == dir {
		return userr.New(userr.BadInput, "%q is a file: name a folder, which is created if it does not exist", dir)
	}
	return userr.New(userr.BadInput, "the folder %q cannot be created, because %q is a file: name another one", dir, file)
}
