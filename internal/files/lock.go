package files

import (
	"errors"
	"os"
	"syscall"
)

// The lock modes. Several processes can hold a Shared lock at the same time. An Exclusive lock
// excludes all other locks.
const (
	Shared    = syscall.LOCK_SH
	Exclusive = syscall.LOCK_EX
)

// ErrHeld means that another process holds the lock.
var ErrHeld = errors.New("another process has it")

// TryLock takes a lock without waiting.
func TryLock(f *os.File, mode int) error {
	err := syscall.Flock(int(f.Fd()), mode|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
