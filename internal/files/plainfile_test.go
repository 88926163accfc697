package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe that nobody writes to, a device without end and a folder are refused at once.
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
		pipe: ErrNot, "/dev/zero": ErrNot, dir: syscall.EISDIR, filepath.Join(dir, "none"): fs.ErrNotExist, file: nil, link: nil,
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
		sum, err := SHA256(path) // that of "text": printf text | sha256sum
		if !errors.Is(err, want) ||
			want == nil && sum != "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" {
			t.Errorf("hash of %s: %s, %v, want %v", path, sum, err, want)
		}
	}
}
