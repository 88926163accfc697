package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
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

// TestDevices checks that Write does not replace a pipe and that Update does not replace a device.
func TestDevices(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipe can be made here: ", err)
	}
	nothing := func(io.Writer) error { return nil }
	// A failure here is fatal, because Update might then replace /dev/null.
	if err := Write(pipe, nothing); !errors.Is(err, ErrNotRegular) {
		t.Fatalf("%v, want %v", err, ErrNotRegular)
	}
	if err := Update("/dev/null", nothing); !errors.Is(err, ErrNotRegular) {
		t.Errorf("%v, want %v", err, ErrNotRegular)
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

// TestSweep checks that Sweep removes the temporary files of a dead process and nothing else, in
// particular no file that is being written.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".a.txt.123", "b.txt", ".finished", ".a.txt.12x", "a.txt.123"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".folder.1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.txt", filepath.Join(dir, ".link.1")); err != nil {
		t.Fatal(err)
	}
	err := Write(filepath.Join(dir, "c.txt"), func(w io.Writer) error {
		if left := Leftovers(dir); !slices.Equal(left, []string{filepath.Join(dir, ".a.txt.123")}) {
			t.Errorf("while c.txt is written %q are taken for left", left)
		}
		if err := Sweep(dir); err != nil {
			return err
		}
		_, err := io.WriteString(w, "c")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".a.txt.12x", ".finished", ".folder.1", ".link.1", "a.txt.123", "b.txt", "c.txt"}; !slices.Equal(
		names, want) {
		t.Errorf("left are %q, want %q", names, want)
	}
}

// TestWriteWhileSwept checks that a writer and a concurrent sweep do not disturb each other.
func TestWriteWhileSwept(t *testing.T) {
	dir := t.TempDir()
	stop, swept := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				swept <- nil
				return
			default:
			}
			if err := Sweep(dir); err != nil {
				swept <- err
				return
			}
		}
	}()
	for range 200 {
		if err := Write(filepath.Join(dir, "a.txt"), func(w io.Writer) error {
			_, err := io.WriteString(w, "a")
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := <-swept; err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}

// TestNotWritten checks that each failure is one sentence with the system's reason and what to do,
// without the name of a temporary file.
func TestNotWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(path string) error { return Write(path, func(io.Writer) error { return nil }) }
	failed := func(err error) error {
		return &fs.PathError{Op: "write", Path: filepath.Join(dir, ".out.17"), Err: err}
	}
	for _, c := range []struct {
		path string
		err  error
		want string
		code userr.Code
	}{
		{dir, write(dir), ErrNotRegular.Error(), userr.BadInput},
		{"/dev/null", write("/dev/null"), ErrNotRegular.Error(), userr.BadInput},
		{filepath.Join(dir, "no", "out"), write(filepath.Join(dir, "no", "out")), "no such file or directory", userr.BadInput},
		{filepath.Join(file, "out"), write(filepath.Join(file, "out")), "not a directory", userr.BadInput},
		{filepath.Join(dir, "out"), failed(syscall.EACCES), "permission denied", userr.BadInput},
		{filepath.Join(dir, "out"), failed(syscall.ENOSPC), "no space left on device", userr.StageFailed},
	} {
		err := NotWritten(c.path, c.err)
		do := "name a file in an existing folder that you may write to"
		if c.code == userr.StageFailed {
			do = "free some space"
		}
		want := fmt.Sprintf("--output: %q was not written (%s): %s", c.path, c.want, do)
		if c.err == nil || userr.CodeOf(err) != c.code || err.Error() != want {
			t.Errorf("%v: %v, want %q", c.err, err, want)
		}
	}
}

// TestUmask checks that a written file has the permissions of any other file that the user creates.
func TestUmask(t *testing.T) {
	if mask := os.Getenv("FILES_TEST_UMASK"); mask != "" {
		path := filepath.Join(t.TempDir(), "file")
		if err := WriteBytes(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%03o", info.Mode().Perm()); got != mask {
			t.Errorf("the rights are %s, want %s", got, mask)
		}
		return
	}
	for mask, want := range map[string]string{"077": "600", "027": "640", "022": "644", "002": "664"} {
		cmd := exec.Command("sh", "-c", "umask "+mask+` && exec "$0" -test.run='^TestUmask$'`, os.Args[0])
		cmd.Env = append(os.Environ(), "FILES_TEST_UMASK="+want)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("umask %s: %v\n%s", mask, err, out)
		}
	}
}
