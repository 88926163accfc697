// Package plainfile opens files that people name, and nothing that only looks like one: a named
// pipe would be waited for without end, and /dev/zero be read without end.
package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrNot is what Open and Read say of a pipe, a socket or a device.
var ErrNot = errors.New("it is no regular file")

// Open opens a regular file for reading.
func Open(path string) (*os.File, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Read returns what is in a regular file.
func Read(path string) ([]byte, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// SHA256 reads a regular file to its end and returns the hash of its content in hex.
func SHA256(path string) (string, error) {
	if err := check(path); err != nil {
		return "", err
	}
	return SHA256OfRegular(path)
}

// Cause strips the operation and path from an error of the os package, for messages that name the
// path themselves.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
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
		return &fs.PathError{Op: "read", Path: path, Err: ErrNot}
	}
	return nil
}

// ReadJSON decodes what is in a regular file.
func ReadJSON(path string, into any) error {
	text, err := Read(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
