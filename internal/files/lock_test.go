package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	one, other := open(), open()
	for _, f := range []*os.File{one, other} {
		if err := TryLock(f, Shared); err != nil {
			t.Errorf("a shared lock: %v", err)
		}
	}
	if err := TryLock(one, Exclusive); !errors.Is(err, ErrHeld) {
		t.Errorf("a lock alone beside another: %v", err)
	}
	_ = other.Close()
	if err := TryLock(one, Exclusive); err != nil {
		t.Errorf("a lock alone: %v", err)
	}
	if err := TryLock(open(), Shared); !errors.Is(err, ErrHeld) {
		t.Errorf("a shared lock beside one alone: %v", err)
	}
}
