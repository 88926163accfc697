package userr

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestCodeOf(t *testing.T) {
	bad := New(BadInput, "reading %q: %w", "x.txt", fs.ErrNotExist)
	for _, c := range []struct {
		err  error
		want Code
	}{
		{nil, OK},
		{errors.New("a bug"), StageFailed},
		{bad, BadInput},
		{fmt.Errorf("running: %w", bad), BadInput},
		{fmt.Errorf("running: %w", New(NoTorch, "no libtorch")), NoTorch},
		{New(BadInput, "the folder %q cannot be made (%w)", "x", syscall.ENOSPC), StageFailed},
		{fmt.Errorf("saving: %w", New(BadInput, "%w", &fs.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT})), StageFailed},
		{New(Interrupted, "interrupted: %w", syscall.ENOSPC), Interrupted},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("CodeOf(%v) = %d, want %d", c.err, got, c.want)
		}
	}
	for err, want := range map[error]bool{
		bad: true, New(NoTorch, "none"): true, New(BadInput, "%w", syscall.ENOSPC): true, errors.New("a bug"): false,
		New(StageFailed, "%w", syscall.ENOSPC): false, New(Interrupted, "interrupted"): false,
	} {
		if Refused(err) != want {
			t.Errorf("Refused(%v) = %t", err, !want)
		}
	}
	if !errors.Is(bad, fs.ErrNotExist) {
		t.Error("New lost the cause")
	}
	if got, want := bad.Error(), `reading "x.txt": file does not exist`; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}
