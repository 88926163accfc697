package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// EmptyFolder refuses a folder that holds something: what a command writes there would lie among
// other things. Hidden files, which file managers leave in every folder that they show, do not
// count. It refuses a file too, and what would be below one. WriteFolder asks it; a command asks
// before it works for long.
func EmptyFolder(dir string) error {
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

// WriteFolder makes the folder dir, and those above it, where there are none. It calls fill with a
// folder of its own inside dir, and moves what fill wrote there into dir, which must be new or
// empty. After an error all is as before: folders that it made are gone, and one that was there
// stays, as empty as it was. The own folder is inside dir, because that is on the same disk and
// needs no permission to write beside dir.
func WriteFolder(dir string, fill func(apart string) error) (err error) {
	if err := EmptyFolder(dir); err != nil {
		return err
	}
	made := missing(dir)
	defer func() {
		for i := 0; err != nil && i < len(made); i++ {
			_ = os.Remove(made[i]) // err says more
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cannotMake(dir, err)
	}
	apart, err := os.MkdirTemp(dir, ".unfinished-")
	if err != nil {
		return cannotMake(dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(apart)) }()
	if err := fill(apart); err != nil {
		return err
	}
	names, err := os.ReadDir(apart)
	for i, name := range names {
		if err = os.Rename(filepath.Join(apart, name.Name()), filepath.Join(dir, name.Name())); err != nil {
			for _, moved := range names[:i] {
				_ = os.RemoveAll(filepath.Join(dir, moved.Name())) // err says more
			}
			break
		}
	}
	return err
}

// missing lists the folders that are to be made, the deepest first.
func missing(dir string) (dirs []string) {
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return dirs
		}
		dirs = append(dirs, dir)
		dir = filepath.Dir(dir)
	}
}

// cannotMake says why nothing can be written in a folder that may have to be made.
func cannotMake(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return belowFile(dir)
	case errors.Is(err, fs.ErrPermission) && len(missing(dir)) == 0:
		return userr.New(userr.BadInput, "you may not write in the folder %q: change its permissions, or name another one",
			dir)
	case errors.Is(err, fs.ErrPermission):
		return userr.New(userr.BadInput, "you may not create the folder %q: change the permissions of its "+
			"parent folder, or name another one", dir)
	case errors.Is(err, syscall.EROFS):
		return userr.New(userr.BadInput, "the folder %q would be on a read-only file system: name one "+
			"elsewhere", dir)
	}
	return userr.New(userr.BadInput, "the folder %q cannot be created (%w): name another one", dir, Cause(err))
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
