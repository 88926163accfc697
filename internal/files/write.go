// Package files reads, writes and locks files. A file is written completely or not at all, even if
// the program is killed or other processes use the file. Only regular files are read, because
// reading a named pipe or /dev/zero would never end. The package also caches results that took long
// to compute.
package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Write calls the function fill to write a temporary file in the same folder, syncs the file and
// renames it to path. After an error, path is unchanged and the temporary file is removed. If the
// process is killed, the temporary file stays until Sweep removes it.
func Write(path string, fill func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // renaming would replace a device
		return &fs.PathError{Op: "writing", Path: path, Err: ErrNotRegular}
	}
	f, err := createHeld(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	defer func() {
		_ = f.Close() // an error here does not matter: the file is synced, or err is set
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("writing %q: %w", path, err)
		}
	}()
	w := bufio.NewWriter(f)
	if err = fill(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = f.Chmod(Rights(0o666)); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path) // rename before closing, because closing releases the lock
}

// umask is the process's file mode creation mask. A process can read its mask only by setting it,
// so the mask is briefly set to 077, the most private one.
var umask = func() fs.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask)
}()

// Rights removes the umask's bits from permissions. Callers first create a file or folder with
// fewer permissions and then give it the permissions that Rights returns.
func Rights(rights fs.FileMode) fs.FileMode { return rights &^ umask }

// WriteBytes does the same as Write, for content in memory.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Update does the same as Write, for small files that mostly stay the same. If the file already has
// the content that fill writes, Update leaves it alone, because a sync can take seconds on a busy
// machine.
func Update(path string, fill func(io.Writer) error) error {
	var text bytes.Buffer
	if err := fill(&text); err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.Size() == int64(text.Len()) {
		if old, err := Read(path); err == nil && bytes.Equal(old, text.Bytes()) {
			return nil
		}
	}
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

// temporary matches the names of Write's temporary files: a dot, the final name, a dot and digits.
var temporary = regexp.MustCompile(`^\..+\.[0-9]+$`)

// createHeld creates a temporary file and locks it until it is closed or the process ends.
func createHeld(dir, pattern string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(dir, pattern)
		if err != nil {
			return nil, err
		}
		err = TryLock(f, Exclusive)
		if _, statErr := os.Lstat(f.Name()); !errors.Is(err, ErrHeld) && statErr == nil {
			return f, nil // either f is locked, or the file system has no locks and Sweep removes nothing
		}
		_ = f.Close() // Leftovers or Sweep locked the file first
		_ = os.Remove(f.Name())
	}
}

// Leftovers returns the paths of the temporary files in dir that no process is writing any more.
func Leftovers(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); e.Type().IsRegular() && temporary.MatchString(e.Name()) {
			_ = abandoned(path, func() { paths = append(paths, path) })
		}
	}
	return paths
}

// Sweep removes the files that Leftovers lists.
func Sweep(dir string) error {
	var errs error
	for _, path := range Leftovers(dir) {
		err := abandoned(path, func() {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				errs = errors.Join(errs, err)
			}
		})
		errs = errors.Join(errs, err)
	}
	return errs
}

// abandoned tries to lock a file. If no process is writing the file, abandoned gets the lock and
// calls whileLocked.
func abandoned(path string, whileLocked func()) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	if TryLock(f, Exclusive) == nil {
		whileLocked()
	}
	return nil
}

// NotWritten returns the error for the user if Write failed with err at the path of --output. The
// error has code BadInput, except for a full disk (userr.CodeOf).
func NotWritten(path string, err error) error {
	do := "name a file in an existing folder that you may write to"
	if userr.FullDisk(err) {
		do = "free some space"
	}
	return userr.New(userr.BadInput, "--output: %q was not written (%w): %s", path, Cause(err), do) // no temporary file
}
