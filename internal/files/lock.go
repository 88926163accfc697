package files

import (
	"errors"
	"os"
	"syscall"
)

// The ways to lock a file: with others, or by one process alone.
const (
	Shared = syscall.LOCK_SH
	Alone  = syscall.LOCK_EX
)

// ErrHeld says that another process has what was asked for.
var ErrHeld = errors.New("another process has it")

// TryLock takes a lock without waiting.
func TryLock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// WaitLock takes a lock when those that others have allow it.
func WaitLock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
