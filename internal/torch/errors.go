package torch

import (
	"fmt"
	"strings"
	"unsafe"

	lib "github.com/sugarme/gotch/libtch"
)

// OpError is a failed operation: its name, the shapes of its inputs and libtorch's own first line.
type OpError struct {
	Op     string
	Shapes [][]int64
	Text   string
}

func (e *OpError) Error() string {
	return fmt.Sprintf("torch %s%v: %s", e.Op, e.Shapes, e.Text)
}

// fail unwinds to the nearest Scoped or Run.
func fail(op, text string, inputs ...*Tensor) {
	var shapes [][]int64
	for _, t := range inputs {
		if t != nil && t.h != nil {
			shapes = append(shapes, t.Shape())
		}
	}
	// libtorch appends a C++ stack trace after the message.
	text, _, _ = strings.Cut(text, "\nException raised from")
	panic(&OpError{Op: op, Shapes: shapes, Text: strings.TrimSpace(text)})
}

// check unwinds if the gotch call just made on this thread failed.
func check(op string, inputs ...*Tensor) {
	msg := lib.GetAndResetLastErr()
	if msg == nil {
		return
	}
	fail(op, takeString(unsafe.Pointer(msg)), inputs...)
}

// recovered turns an unwinding OpError into err; any other panic goes on.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case *OpError:
		if *err == nil {
			*err = p
		}
	default:
		panic(p)
	}
}
