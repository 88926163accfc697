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

// FullDisk says whether err is for want of room, of the disk or of what this user may have of it.
func FullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Refused says whether err, a full disk too, came before anything was done: the first Error in its
// chain is of bad input, such as a workspace that cannot be used, or of missing libtorch.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == BadInput || e.Code == NoTorch)
}

// CodeOf returns the exit code err asks for: that of the first Error in its chain, StageFailed for
// any other error. A full disk is StageFailed, whatever was written there: it is no bad input, and
// a launcher may try the command again when there is room.
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
