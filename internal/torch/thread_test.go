package torch

import (
	"cmp"
	"os"
	"runtime"
	"testing"
)

// TestRunAfterGoexit ends the goroutine inside Run, as FailNow does in a test: the next Run must
// not wait for ever.
func TestRunAfterGoexit(t *testing.T) {
	if err := Run(func() error { runtime.Goexit(); return nil }); err != nil {
		t.Errorf("error %v", err)
	}
	err := Run(func() error {
		if got := Ones(2).Sum().Item(); got != 2 {
			t.Errorf("1+1 = %v on the new thread", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestShapesKept: the first work bounds what oneDNN keeps, which it reads from the environment, and
// leaves a bound of the user's alone.
func TestShapesKept(t *testing.T) {
	if err := Run(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	const name = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
	if got := os.Getenv(name); got != cmp.Or(givenShapes, "64") {
		t.Errorf("%s is %q, and was %q", name, got, givenShapes)
	}
}

var givenShapes = os.Getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY")
