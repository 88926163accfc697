package files

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// ErrNotRegular means that a path is a pipe, a socket or a device. Write also returns it for a
// folder, and OpenKept for a symbolic link.
var ErrNotRegular = errors.New("it is not a regular file")

// Open opens a regular file for reading.
func Open(path string) (*os.File, error) {
	if _, err := check(path); err != nil {
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
	if _, err := check(path); err != nil {
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
	_, err := check(path)
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
	info, err := check(path)
	if err == nil && info.Size() > MaxSmall {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrNotSmall}
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// MaxSmall is the maximum number of bytes that ReadSmall and ReadJSON read. They need a limit
// because a sparse file can have any size without taking disk space.
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
	sum, _, err := SHA256AndLines(path)
	return sum, err
}

// SHA256AndLines returns the result of SHA256 and the number of lines. The last line may lack its
// line end.
func SHA256AndLines(path string) (sum string, lines int, err error) {
	f, err := Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close() // the file was only read
	h, counted := sha256.New(), lineCounter{last: '\n'}
	if _, err := io.Copy(io.MultiWriter(h, &counted), f); err != nil {
		return "", 0, err
	}
	if counted.last != '\n' {
		counted.lines++
	}
	return hex.EncodeToString(h.Sum(nil)), counted.lines, nil
}

// lineCounter counts the line ends of what is written to it. Its field last is the last byte.
type lineCounter struct {
	lines int
	last  byte
}

func (c *lineCounter) Write(part []byte) (int, error) {
	if len(part) > 0 {
		c.lines, c.last = c.lines+bytes.Count(part, []byte{'\n'}), part[len(part)-1]
	}
	return len(part), nil
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

// check returns an error if a path is not a regular file.
func check(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	return info, nil
}

// ReadJSON decodes a regular file of at most MaxSmall bytes.
func ReadJSON(path string, value any) error {
	text, err := ReadSmall(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// DecodeJSON decodes text. Unlike json.Unmarshal, it refuses fields that value does not have.
func DecodeJSON(text []byte, value any) error {
	fields := json.NewDecoder(bytes.NewReader(text))
	fields.DisallowUnknownFields()
	return fields.Decode(value)
}
