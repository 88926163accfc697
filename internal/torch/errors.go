package torch

import (
	"fmt"
	"regexp"
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

// noMemory matches libtorch's messages when memory runs out, on the CPU and on a GPU, with the size
// requested.
var noMemory = regexp.MustCompile(`tried to allocate (\d+ bytes)|CUDA out of memory\. Tried to allocate ([0-9.]+ \w+)`)

// mayBeMemory matches messages of oneDNN and C++ that nearly always mean that memory has run out.
var mayBeMemory = regexp.MustCompile(`could not (create|execute) a primitive|std::bad_alloc`)

func (e *OpError) Error() string {
	if e.Op == "" { // the text is the whole message
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

// noNumbers is the message for a model whose logits cannot choose a word.
const noNumbers = "the model's logits are not numbers: its weights are damaged or far too large, train it again"

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
	text, _, _ = strings.Cut(text, "\nframe #0")
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
