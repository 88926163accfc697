package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// temporary is how the files that Write fills are named: a dot, the name to be, a dot and digits.
var temporary = regexp.MustCompile(`^\..+\.[0-9]+$`)

// createHeld makes a temporary file and holds a lock on it, which ends with the process.
func createHeld(dir, pattern string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(dir, pattern)
		if err != nil {
			return nil, err
		}
		err = TryLock(f, Alone)
		if _, gone := os.Lstat(f.Name()); !errors.Is(err, ErrHeld) && gone == nil {
			return f, nil // on a file system without locks too: there Sweep removes nothing
		}
		_ = f.Close() // Left or Sweep took it before it was held
		_ = os.Remove(f.Name())
	}
}

// Left lists the temporary files in a folder whose writers are gone. Files that a live process
// writes are not among them, and no folder.
func Left(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); e.Type().IsRegular() && temporary.MatchString(e.Name()) {
			_ = abandoned(path, func() { paths = append(paths, path) })
		}
	}
	return paths
}

// Sweep removes what Left lists.
func Sweep(dir string) error {
	var all error
	for _, path := range Left(dir) {
		err := abandoned(path, func() {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				all = errors.Join(all, err)
			}
		})
		all = errors.Join(all, err)
	}
	return all
}

// abandoned calls then, while it holds the lock, where nobody writes the file any more.
func abandoned(path string, then func()) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	if TryLock(f, Alone) == nil {
		then()
	}
	return nil
}
