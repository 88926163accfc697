// Package process is a worker of the benchmark as the parent sees it: a program, ours or the other
// side's, that stays warm and answers a line of JSON with another.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// process is a worker that was started.
type process struct {
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	errs  *bytes.Buffer // what it wrote to stderr, whole when it has ended
	ended sync.Once
}

// startProcess starts a worker, which ctx ends; env is added to this process's.
func startProcess(ctx context.Context, name string, env []string, program string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.CommandContext(ctx, program, args...), errs: &bytes.Buffer{}}
	// In a process group of its own, so that Ctrl-C reaches the parent alone, which then ends it.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// and METEOR's Java with it
	p.cmd.Cancel = func() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	p.cmd.Stderr = p.errs
	p.cmd.Env = slices.Concat(os.Environ(), []string{"PYTHONUNBUFFERED=1", "PYTHONDONTWRITEBYTECODE=1"}, env)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, userr.New(userr.BadInput, "the worker of %s does not start: %w", name, err)
	}
	return p, nil
}

// Ask sends a request and waits for its reply.
func (p *process) Ask(q request) (reply, error) {
	var a reply
	line, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if _, err = p.in.Write(append(line, '\n')); err == nil {
		if line, err = p.lines.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &a)
		}
	}
	if err != nil {
		p.Stop()
		return a, userr.New(userr.StageFailed, "%s ended at %q: %s", p.name, q.Do, lastLine(p.errs.String(), err))
	}
	if a.Error != "" {
		return a, userr.New(userr.StageFailed, "%s cannot %s: %s", p.name, q.Do, a.Error)
	}
	return a, nil
}

// lastLine is the last one of a worker's stderr, or the error where it wrote none.
func lastLine(stderr string, err error) string {
	if lines := strings.Split(strings.TrimSpace(stderr), "\n"); lines[len(lines)-1] != "" {
		return lines[len(lines)-1]
	}
	return fmt.Sprint(err)
}

// Stop ends the worker, whose input's end tells it to, and waits for it.
func (p *process) Stop() {
	p.ended.Do(func() {
		p.in.Close()
		_ = p.cmd.Wait() // its exit status says nothing that a reply did not
	})
}

// State tells how the worker ended, after Stop.
func (p *process) State() *os.ProcessState { return p.cmd.ProcessState }
