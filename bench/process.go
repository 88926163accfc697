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

// request is one line from the parent to a worker.
type request struct {
	// hello, prepare, run, losses, evaluate, outputs, save, memory; ours auto, theirs denormals
	Do      string     `json:"do"`
	Case    *benchCase `json:"case,omitempty"`
	N       int        `json:"n,omitempty"`       // run: steps, passes or scores; losses: steps; auto: threads
	Path    []string   `json:"path,omitempty"`    // save: files of weights, as benchCase.Weights
	Without string     `json:"without,omitempty"` // ours: the kernel that is off meanwhile
}

// reply is a worker's one line for a request.
type reply struct {
	Error string `json:"error,omitempty"`

	// hello
	Torch   string `json:"torch,omitempty"` // version
	Threads int    `json:"threads,omitempty"`
	CPU     string `json:"cpu,omitempty"`  // instruction set libtorch chose
	BF16    bool   `json:"bf16,omitempty"` // ours: bfloat16 is faster here (torch.FasterInBF16)

	// denormals: how many numbers of a step, and how many of them are denormal
	Numbers   int `json:"numbers,omitempty"`
	Denormals int `json:"denormals,omitempty"`

	Steps   int     `json:"steps,omitempty"`   // prepare: batches of an epoch
	Seconds float64 `json:"seconds,omitempty"` // run: of these steps alone
	Words   int     `json:"words,omitempty"`   // run: words trained on

	// run, ours: processor time of all threads, in seconds
	Processor float64 `json:"processor,omitempty"`

	Value   float64   `json:"value,omitempty"`  // run: BLEU-4 in percent
	Losses  []float64 `json:"losses,omitempty"` // losses, evaluate
	Outputs [][]int64 `json:"outputs,omitempty"`
	Each    []float64 `json:"each,omitempty"` // run of the task products: seconds of every product

	// memory, in bytes
	Peak     int64 `json:"peak,omitempty"`
	Resident int64 `json:"resident,omitempty"`
	Live     int   `json:"live,omitempty"` // ours: tensor handles when the last run ended
}
