package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
)

// request is one line from the parent to a worker.
type request struct {
	Do     string     `json:"do"` // "prepare", "run" or, only for our worker, "save"
	Case   *benchCase `json:"case,omitempty"`
	N      int        `json:"n,omitempty"`      // for "run": number of epochs or of transfer passes
	Folder string     `json:"folder,omitempty"` // for "save": folder for the weight files
}

// reply is one line from a worker to the parent: the answer to a request.
type reply struct {
	Error   string   `json:"error,omitempty"`
	Weights []string `json:"weights,omitempty"` // for "save": the weight files, in the order of benchCase.Weights

	// A worker sets the fields below when it answers "run".
	Seconds float64   `json:"seconds,omitempty"`
	Steps   int       `json:"steps,omitempty"`
	Losses  []float64 `json:"losses,omitempty"` // mean loss of each epoch
	Outputs [][]int64 `json:"outputs,omitempty"`
	Peak    int64     `json:"peak,omitempty"` // peak memory in bytes
}

// process is a running worker.
type process struct {
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	errs  *bytes.Buffer // the worker's stderr; complete once the worker has ended
	ended sync.Once
}

// startProcess starts a worker, which is killed when ctx is done.
func startProcess(ctx context.Context, name, program string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.CommandContext(ctx, program, args...), errs: &bytes.Buffer{}}
	p.cmd.Stderr = p.errs
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
		return nil, fmt.Errorf("the worker of %s does not start: %w", name, err)
	}
	return p, nil
}

// ask sends a request and waits for its reply.
func (p *process) ask(q request) (a reply, err error) {
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
		p.stop()
		return a, fmt.Errorf("%s ended at %q: %w\n%s", p.name, q.Do, err, strings.TrimSpace(p.errs.String()))
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s cannot %s: %s", p.name, q.Do, a.Error)
	}
	return a, nil
}

// stop closes the worker's input, which makes the worker exit, and waits for it.
func (p *process) stop() {
	p.ended.Do(func() {
		p.in.Close()
		_ = p.cmd.Wait() // the replies have already reported errors
	})
}
