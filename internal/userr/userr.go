// Package userr holds errors meant for the user: one plain sentence and an exit code. Any other
// error that reaches the top is a failed stage or a bug.
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

// Error is a sentence for the user: what, where, what to do.
type Error struct {
	Code Code
	Text string
	Err  error // the cause, or nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error with the sentence built from format; a %w in it becomes the cause.
func New(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Text: err.Error(), Err: errors.Unwrap(err)}
}

// FullDisk reports whether err means that the disk or the user's quota is full.
func FullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Refused reports whether err came before any work was done: the first Error in its chain is
// NoTorch or BadInput, such as an unusable workspace, even if a full disk caused it.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == BadInput || e.Code == NoTorch)
}

// CodeOf returns the exit code for err: that of the first Error in its chain, or StageFailed for
// any other error. A full disk never gives BadInput but StageFailed, because a launcher may retry
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
