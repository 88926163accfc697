package torch

import (
	"fmt"
	"regexp"
	"strings"
	"unsafe"

	lib "github.com/sugarme/gotch/libtch"
)

// OpError is a failed operation. It has the operation's name, the shapes of its inputs and
// libtorch's message without the C++ stack.
type OpError struct {
	Op     string
	Shapes [][]int64
	Text   string
}

// noMemory matches libtorch's messages for exhausted memory, on the CPU and on a GPU. It captures
// the size that was requested.
var noMemory = regexp.MustCompile(`tried to allocate (\d+ bytes)|CUDA out of memory\. Tried to allocate ([0-9.]+ \w+)`)

// mayBeMemory matches messages of oneDNN and C++ that nearly always mean that memory has run out.
var mayBeMemory = regexp.MustCompile(`could not (create|execute) a primitive|std::bad_alloc`)

func (e *OpError) Error() string {
	if e.Op == "" { // Text is the whole message
		return e.Text
	}
	const advice = "lower batch_tokens or the sizes of the model, or run fewer --workers"
	if m := noMemory.FindStringSubmatch(e.Text); m != nil {
		return fmt.Sprintf("there is not enough memory: torch %s asked for %s: %s", e.Op, m[1]+m[2], advice)
	}
	if m := mayBeMemory.FindString(e.Text); m != "" {
		return fmt.Sprintf("there is probably not enough memory: torch %s%v says %q: %s", e.Op, e.Shapes, m, advice)
	}
	return fmt.Sprintf("torch %s%v: %s", e.Op, e.Shapes, e.Text)
}

// fail panics with an *OpError, which the nearest Scoped or Run turns into an error.
func fail(op, text string, inputs ...*Tensor) {
	var shapes [][]int64
	for _, t := range inputs {
		if t != nil && t.h != nil {
			shapes = append(shapes, t.Shape())
		}
	}
	// libtorch appends a C++ stack trace after the message.
	text, _, _ = strings.Cut(text, "\nException raised from")
	text, _, _ = strings.Cut(text, "\nframe #0")
	panic(&OpError{Op: op, Shapes: shapes, Text: strings.TrimSpace(text)})
}

// check calls fail if the previous gotch call on this thread failed.
func check(op string, inputs ...*Tensor) {
	msg := lib.GetAndResetLastErr()
	if msg == nil {
		return
	}
	fail(op, takeString(unsafe.Pointer(msg)), inputs...)
}

// recovered recovers from the panic of fail and stores its *OpError in err. It lets any other panic
// continue.
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
