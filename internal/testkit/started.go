package testkit

import (
	"bufio"
	"os/exec"
	"testing"
	"time"
)

// Started starts a program and returns what it prints; where the test hangs it is killed.
func Started(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(Hangs, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { kill.Stop() })
	return bufio.NewReader(out)
}
