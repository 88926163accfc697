package torch

import (
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
