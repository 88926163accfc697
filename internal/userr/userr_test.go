package userr

import (
	"errors"
	"fmt"
	"io/fs"
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
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("CodeOf(%v) = %d, want %d", c.err, got, c.want)
		}
	}
	if !errors.Is(bad, fs.ErrNotExist) {
		t.Error("New lost the cause")
	}
	if got, want := bad.Error(), `reading "x.txt": file does not exist`; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}
