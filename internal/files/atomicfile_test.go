package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, fail error) error {
		return Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return fail
		})
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := write("second", broken); !errors.Is(err, broken) {
		t.Errorf("error %v, want one that wraps %v", err, broken)
	}
	if got, _ := os.ReadFile(path); string(got) != "first" {
		t.Errorf("after a failed write the file holds %q, want the old text", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
	if err := Write(filepath.Join(dir, "none", "file"), func(io.Writer) error { return nil }); err == nil {
		t.Error("writing into a folder that is not there succeeded")
	}
}

// TestDevices: a pipe or a device is neither replaced nor read to its end, which /dev/full does not
// have.
func TestDevices(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipe can be made here: ", err)
	}
	nothing := func(io.Writer) error { return nil }
	if err := Write(pipe, nothing); !errors.Is(err, ErrNot) { // before Update, which would replace /dev/null
		t.Fatalf("%v, want %v", err, ErrNot)
	}
	if err := Update("/dev/null", nothing); !errors.Is(err, ErrNot) {
		t.Errorf("%v, want %v", err, ErrNot)
	}
}

func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	update := func(text string) os.FileInfo {
		t.Helper()
		err := Update(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("the file holds %q, want %q", got, text)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := update("one")
	if !os.SameFile(first, update("one")) {
		t.Error("the same text was written again")
	}
	if os.SameFile(first, update("two")) {
		t.Error("another text was written into the old file")
	}
}
