package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestExplain: one sentence a failure, without the name of a temporary file.
func TestExplain(t *testing.T) {
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
		{dir, write(dir), "is a folder: name a file, in it or elsewhere", userr.BadInput},
		{"/dev/null", ErrNot, "is no regular file: name another one", userr.BadInput},
		{filepath.Join(dir, "no", "out"), write(filepath.Join(dir, "no", "out")), "there is no folder", userr.BadInput},
		{filepath.Join(file, "out"), write(filepath.Join(file, "out")), "is no folder", userr.BadInput},
		{filepath.Join(dir, "out"), failed(syscall.EROFS), "read-only file system", userr.BadInput},
		{filepath.Join(dir, "out"), failed(syscall.EACCES), "you may not write", userr.BadInput},
		{filepath.Join(dir, "out"), failed(syscall.ENOSPC), "the disk is full", userr.StageFailed},
		{filepath.Join(dir, "out"), failed(syscall.EIO), "was not written: input/output error", userr.StageFailed},
	} {
		err := Explain("--output", c.path, c.err)
		if c.err == nil || userr.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "--output: ") || strings.Contains(err.Error(), "/.") {
			t.Errorf("%v: %v, want %q", c.err, err, c.want)
		}
	}
}
