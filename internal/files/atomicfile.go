// Package atomicfile writes files that are either complete or absent.
package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write calls fill with a writer of a temporary sibling of path, syncs it and renames it to path.
// On any error path is left as it was and the temporary file is removed. What a killed process
// leaves, Sweep removes.
func Write(path string, fill func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a device would be renamed over
		return fmt.Errorf("writing %q: %w", path, ErrNot)
	}
	f, err := createHeld(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	defer func() {
		_ = f.Close() // all was synced, or err says more
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
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path) // before closing: until then the file is held
}

// WriteBytes is Write of a content that is there already.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Update is Write for small files that mostly stay the same: where path already holds what fill
// writes, nothing touches the disk. A sync can take seconds on a busy machine.
func Update(path string, fill func(io.Writer) error) error {
	var text bytes.Buffer
	if err := fill(&text); err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	if old, err := Read(path); err == nil && bytes.Equal(old, text.Bytes()) {
		return nil
	}
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}
