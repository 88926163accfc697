package files

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// ErrNotRegular means that a path is a pipe, a socket or a device. Write also returns it for a
// folder, and OpenKept for a symbolic link.
var ErrNotRegular = errors.New("it is not a regular file")

// Open opens a regular file for reading.
func Open(path string) (*os.File, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// OpenKept opens a regular file for reading and writing, and creates it if it is missing. It is for
// files written in place, in a folder that may come from other people. So it refuses links, which
// may point outside the folder, and anything else that is not a regular file, such as a pipe.
func OpenKept(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) { // a link or a socket
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	} else if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, cmp.Or(err, error(&fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}))
	}
	return f, nil
}

// Read returns the content of a regular file.
func Read(path string) ([]byte, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Mapped calls fn with the memory-mapped content of a regular file. fn must not change or keep the
// content. Mapping a large file allocates no memory. If a memory limit is too low to map the file,
// Mapped returns an error.
func Mapped(path string, fn func(raw []byte) error) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // the file was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 { // an empty file cannot be mapped
		return fn(nil)
	}
	raw, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if errors.Is(err, syscall.ENOMEM) {
		return fmt.Errorf("there is not enough memory for its %d MB", info.Size()>>20)
	} else if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	defer func() { _ = syscall.Munmap(raw) }() // cannot fail: raw is from Mmap
	return fn(raw)
}

// ReadOnce does the same as Read, but also accepts a pipe that the shell opened, such as `<(cut -f2
// FILE)`. Reading such a pipe ends, because a program writes to the pipe and closes it. The pipe
// can be read only once.
func ReadOnce(path string) ([]byte, error) {
	err := check(path)
	if errors.Is(err, ErrNotRegular) && slices.ContainsFunc(openedByShell, func(dir string) bool {
		return strings.HasPrefix(path, dir)
	}) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// openedByShell are the beginnings of paths that stand for files that are already open.
var openedByShell = []string{"/dev/fd/", "/proc/self/fd/", "/dev/stdin"}

// ReadSmall reads a file of at most MaxSmall bytes.
func ReadSmall(path string) ([]byte, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return ReadRegular(path)
}

// MaxSmall is the maximum number of bytes that ReadSmall, ReadRegular and ReadJSON read. They need
// a limit because a sparse file can have any size without taking disk space.
const MaxSmall = 128 << 20

// ErrNotSmall means that a file is larger than MaxSmall.
var ErrNotSmall = fmt.Errorf("it is larger than %d MB", MaxSmall>>20)

// Sum returns the SHA-256 of the concatenated parts in hex.
func Sum(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SHA256 returns the hash of a regular file's content in hex.
func SHA256(path string) (string, error) {
	if err := check(path); err != nil {
		return "", err
	}
	return SHA256OfRegular(path)
}

// SHA256AndLines returns the result of SHA256 and the number of lines. The last line may lack its
// line end.
func SHA256AndLines(path string) (sum string, lines int, err error) {
	if err := check(path); err != nil {
		return "", 0, err
	}
	h, last := sha256.New(), byte('\n')
	err = inParts(path, func(part []byte) {
		_, _ = h.Write(part) // a hash never fails
		lines += bytes.Count(part, []byte{'\n'})
		last = part[len(part)-1]
	})
	if last != '\n' {
		lines++
	}
	return hex.EncodeToString(h.Sum(nil)), lines, err
}

// Cause strips the operation and paths from an error of the os package, for messages that name the
// path themselves.
func Cause(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	if linkErr := (*os.LinkError)(nil); errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}

func check(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	return nil
}

// ReadJSON decodes a regular file of at most MaxSmall bytes.
func ReadJSON(path string, value any) error {
	text, err := ReadSmall(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// SHA256OfRegular is SHA256 for callers that have just checked that the file is regular.
func SHA256OfRegular(path string) (string, error) {
	h := sha256.New()
	if err := inParts(path, func(part []byte) { _, _ = h.Write(part) }); err != nil { // a hash never fails
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadRegular is ReadSmall for callers that have just checked that the file is regular. If the path
// has become a pipe without a writer, ReadRegular returns no bytes and does not wait.
func ReadRegular(path string) (text []byte, err error) {
	if size, _, err := Stat(path); err == nil && size > MaxSmall {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrNotSmall}
	}
	err = inParts(path, func(part []byte) { text = append(text, part...) })
	return text, err
}

// buffers holds the buffers that inParts reuses. Most files are smaller than a buffer, so
// allocating a new one for every file would be a waste.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// inParts calls the function visit with one part of a regular file after the other. If the file is
// a pipe, inParts does not wait for a writer. For small files, it takes less than half as long as
// the os package, which allocates a buffer per file and tries in vain to register the file for
// polling.
func inParts(path string, visit func(part []byte)) error {
	fd, err := retry(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = syscall.Close(fd) }() // nothing was written
	buffer, _ := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buffer)
	for {
		switch n, err := retry(func() (int, error) { return syscall.Read(fd, buffer[:]) }); {
		case err != nil:
			return &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return nil
		default:
			visit(buffer[:n])
		}
	}
}

// Stat returns a file's size and whether it is regular. It takes a fifth less time than os.Stat.
func Stat(path string) (size int64, regular bool, err error) {
	var stat syscall.Stat_t
	if _, err := retry(func() (int, error) { return 0, syscall.Stat(path, &stat) }); err != nil {
		return 0, false, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return stat.Size, stat.Mode&syscall.S_IFMT == syscall.S_IFREG, nil
}

// retry repeats a system call until no signal interrupts it.
func retry(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
