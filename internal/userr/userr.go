// Package userr holds errors that are meant for the user. Each error has one plain sentence and an
// exit code. If the program ends with any other error, a stage failed or there is a bug.
package userr

import (
	"errors"
	"fmt"
	"syscall"
)

// Code is a documented exit status of smlm-exp.
type Code int

// The exit codes.
const (
	OK          Code = 0
	StageFailed Code = 1   // a stage failed, or the disk is full
	BadInput    Code = 2   // bad input or usage
	NoTorch     Code = 3   // libtorch or a device is missing
	Interrupted Code = 130 // Ctrl-C
)

// Error is a sentence for the user. It says what is wrong, where, and what to do.
type Error struct {
	Code Code
	Text string
	Err  error // the cause, or nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error whose sentence is built from format. An error formatted with %w becomes the
// cause.
func New(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Text: err.Error(), Err: errors.Unwrap(err)}
}

// FullDisk reports whether err means that the disk or the user's quota is full.
func FullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Refused reports whether err occurred before any work was done. This is so if the code of the
// first Error in err's chain is NoTorch or BadInput. For example, an unusable workspace is
// BadInput, even if the cause is a full disk.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == BadInput || e.Code == NoTorch)
}

// CodeOf returns the exit code of the first Error in err's chain, or StageFailed if there is none.
// If a full disk caused a BadInput error, CodeOf returns StageFailed, so that a launcher may retry
// the command when there is room.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) && (e.Code != BadInput || !FullDisk(err)) {
		return e.Code
	}
	return StageFailed
}
