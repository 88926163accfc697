package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"sync"
	"syscall"
)

// SHA256OfRegular is SHA256 for who has just seen that the file is a regular one.
func SHA256OfRegular(path string) (string, error) {
	h := sha256.New()
	if err := inParts(path, func(part []byte) { _, _ = h.Write(part) }); err != nil { // a hash takes everything
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadRegular is Read of a small file, for who has just seen that it is a regular one.
func ReadRegular(path string) (text []byte, err error) {
	err = inParts(path, func(part []byte) { text = append(text, part...) })
	return text, err
}

// buffers are what files are read into: a new one for each would be more than most of them hold.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// inParts reads a regular file from its start to its end. The os package asks the system besides to
// tell when a file can be read, which it does of no regular file, and makes a buffer for each: of
// small files, that is more than half of the time.
func inParts(path string, do func(part []byte)) error {
	fd, err := retried(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = syscall.Close(fd) }() // nothing was written
	buffer, _ := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buffer)
	for {
		switch n, err := retried(func() (int, error) { return syscall.Read(fd, buffer[:]) }); {
		case err != nil:
			return &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return nil
		default:
			do(buffer[:n])
		}
	}
}

// Stat is os.Stat of a file's size, when it was last modified, in nanoseconds, and whether it is a
// regular one, for a fifth less.
func Stat(path string) (size, modified int64, regular bool, err error) {
	var at syscall.Stat_t
	if _, err := retried(func() (int, error) { return 0, syscall.Stat(path, &at) }); err != nil {
		return 0, 0, false, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return at.Size, at.Mtim.Nano(), at.Mode&syscall.S_IFMT == syscall.S_IFREG, nil
}

// retried repeats a call of the system that a signal interrupts.
func retried(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
