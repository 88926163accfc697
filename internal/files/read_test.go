package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyRegularFiles checks that a named pipe without a writer, an endless device and a directory
// are refused before anything is read.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipe can be made here: ", err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		pipe: ErrNotRegular, "/dev/zero": ErrNotRegular, dir: syscall.EISDIR, filepath.Join(dir, "none"): fs.ErrNotExist, file: nil, link: nil,
	} {
		text, err := Read(path)
		if !errors.Is(err, want) || want == nil && string(text) != "text" {
			t.Errorf("read %s: %q, %v, want %v", path, text, err, want)
		}
		f, err := Open(path)
		if !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", path, err, want)
		}
		f.Close()
		sum, err := SHA256(path) // the sum of "text": printf text | sha256sum
		if !errors.Is(err, want) ||
			want == nil && sum != "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" {
			t.Errorf("hash of %s: %s, %v, want %v", path, sum, err, want)
		}
	}
}

// TestOpenKept checks that OpenKept opens or creates a regular file and keeps its content, and that
// it refuses links, pipes and directories.
func TestOpenKept(t *testing.T) {
	dir := t.TempDir()
	mine, link, pipe := filepath.Join(dir, "mine"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(mine, []byte("text of mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Symlink(mine, link), os.Symlink(filepath.Join(dir, "new"), filepath.Join(dir, "to nothing")),
		syscall.Mkfifo(pipe, 0o600), os.Mkdir(filepath.Join(dir, "folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]error{
		"link": ErrNotRegular, "to nothing": ErrNotRegular, "pipe": ErrNotRegular, "folder": syscall.EISDIR, "mine": nil, "made": nil,
	} {
		f, err := OpenKept(filepath.Join(dir, name))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if err == nil {
			_ = f.Close()
		}
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "text of mine" {
		t.Errorf("the file is now %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link has made a file elsewhere: %v", err)
	}
}

// TestReadWhole reads four files concurrently and checks that each is read completely. The files
// are empty, smaller than a buffer, as large as a buffer, and larger. The test also checks that the
// error for an unreadable path names this path.
func TestReadWhole(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 64 << 10, 200_000} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			want := bytes.Repeat([]byte{byte(size), 1, 2}, size)[:size]
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(want)
			for range 50 {
				if got, err := ReadSmall(path); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("of %d bytes, %d are read, %v", size, len(got), err)
				}
				if got, err := SHA256(path); err != nil || got != hex.EncodeToString(sum[:]) {
					t.Fatalf("of %d bytes: %s, %v", size, got, err)
				}
			}
		})
	}
	for path, want := range map[string]error{dir: syscall.EISDIR, filepath.Join(dir, "none"): fs.ErrNotExist} {
		var named *fs.PathError
		if _, err := ReadSmall(path); !errors.Is(err, want) || !errors.As(err, &named) || named.Path != path {
			t.Errorf("read %s: %v", path, err)
		}
		if _, err := SHA256(path); !errors.Is(err, want) || !errors.As(err, &named) || named.Path != path {
			t.Errorf("hash of %s: %v", path, err)
		}
	}
}

// TestReadOnce checks that a pipe that the shell opened is read. A named pipe in a directory is
// refused, because it may never have a writer.
func TestReadOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := Read(path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a file that may be read twice: %v", err)
	}
	if text, err := ReadOnce(path); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadOnce(pipe); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe in a folder: %v", err)
	}
}

// TestSmallFiles checks that a sparse file of 1 TiB is refused and not read.
func TestSmallFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("no such file can be made here: ", err)
	}
	if text, err := ReadSmall(path); !errors.Is(err, ErrNotSmall) || text != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	var into any
	if err := ReadJSON(path, &into); !errors.Is(err, ErrNotSmall) {
		t.Errorf("as JSON: %v", err)
	}
}
