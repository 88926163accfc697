package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// transferProcess is a running `smlm-exp transfer` command.
type transferProcess struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	pipe   io.Closer // the pipe from which stdout reads
	stderr bytes.Buffer
}

// startTransfer runs a small experiment with the fake backend and starts `transfer` with its
// models.
func startTransfer(t *testing.T) *transferProcess {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "demo.toml")
	text := "seeds = [1]\n[datasets.demo]\nbuiltin = \"demo\"\n[smlm]\nmodels = [\"smlm\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("smlm-exp", "run", file, "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := &transferProcess{Cmd: exec.Command("smlm-exp", "transfer", "--experiment", file, "--to", "cheerful")}
	p.Stderr = &p.stderr
	var err error
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout, p.pipe = bufio.NewReader(out), out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(testkit.Hangs, func() { _ = p.Process.Kill() })
	t.Cleanup(func() { kill.Stop() })
	return p
}

// ask sends a line to the process and checks the answer.
func (p *transferProcess) ask(t *testing.T, line, want string) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.stdout.ReadString('\n'); err != nil || got != want+"\n" {
		t.Fatalf("%q is answered with %q (%v), want %q", line, got, err, want)
	}
}

func TestTransferConversation(t *testing.T) {
	p := startTransfer(t)
	p.ask(t, "The soup was cold.", "The SOUP was COLD.")
	p.ask(t, "We liked it.", "We LIKED it.")
	p.stdin.Close()
	if rest, err := io.ReadAll(p.stdout); err != nil || len(rest) > 0 {
		t.Errorf("after the end came %q (%v)", rest, err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, &p.stderr)
	}
}

func TestTransferInterrupted(t *testing.T) {
	p := startTransfer(t)
	p.ask(t, "The soup was cold.", "The SOUP was COLD.")
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(p.stdout)
	_ = p.Wait() // the exit status is checked below
	if code := p.ProcessState.ExitCode(); code != 130 || len(rest) > 0 ||
		!strings.Contains(p.stderr.String(), "interrupted after line 1:") {
		t.Errorf("exit status %d after Ctrl-C with %q and %q, want 130", code, rest, &p.stderr)
	}
}

// TestTransferNobodyReads checks that `transfer` ends if nobody reads its output any more, as in
// smlm-exp transfer ... | head -1. Like any filter, it must die of SIGPIPE at the next write.
func TestTransferNobodyReads(t *testing.T) {
	p := startTransfer(t)
	p.ask(t, "The soup was cold.", "The SOUP was COLD.")
	p.pipe.Close()
	fmt.Fprintln(p.stdin, "We liked it.")
	_ = p.Wait() // the exit status is checked below
	said, _ := strings.CutPrefix(
		p.stderr.String(),
		"smlm-exp: using smlm on demo, masks by explainable_attention, decoding copied, seed 1\n",
	)
	if how := p.ProcessState.Sys().(syscall.WaitStatus); !how.Signaled() || how.Signal() != syscall.SIGPIPE ||
		said != "" {
		t.Errorf("it ended with %v and said %q", p.ProcessState, said)
	}
}

// TestRunNobodyReads checks `run` if nobody reads its progress any more, as in smlm-exp run ...
// 2>&1 | head -1. It must end as after Ctrl-C, and the same command must continue the run later. If
// only standard output has no reader, the run must complete.
func TestRunNobodyReads(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.toml")
	text := "seeds = [1]\n[datasets.demo]\nbuiltin = \"demo\"\n[smlm]\nmodels = [\"smlm\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	unread := func(stderr bool) *exec.Cmd {
		t.Helper()
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		reader.Close()
		cmd := exec.Command("smlm-exp", "run", file)
		cmd.Stdout = writer
		if stderr {
			cmd.Stderr = writer
		}
		_ = cmd.Run() // the exit status is checked by the caller
		return cmd
	}
	if how := unread(true).ProcessState; how.ExitCode() != 130 {
		t.Errorf("a run whose progress nobody reads ended with %v, want 130", how)
	}
	if table := filepath.Join(filepath.Dir(file), "workspace", "tables"); exists(table) {
		t.Errorf("it went on to %s", table)
	}
	if how := unread(false).ProcessState; how.ExitCode() != 0 {
		t.Errorf("a run whose table nobody reads ended with %v, want 0", how)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
