package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/smlm-exp/smlm-exp/bench/tasks"
	"github.com/smlm-exp/smlm-exp/bench/workload"
	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// request is one line from the parent to a worker.
type request struct {
	// hello, prepare, run, losses, evaluate, outputs, save, memory; ours auto, theirs denormals
	Do      string         `json:"do"`
	Case    *workload.Case `json:"case,omitempty"`
	N       int            `json:"n,omitempty"`       // run: steps, passes or scores; losses: steps; auto: threads
	Path    []string       `json:"path,omitempty"`    // save: files of weights, as Case.Weights
	Without string         `json:"without,omitempty"` // ours: the kernel that is off meanwhile
}

// reply is a worker's one line for a request.
type reply struct {
	Error string `json:"error,omitempty"`

	// hello
	Torch   string `json:"torch,omitempty"` // version
	Threads int    `json:"threads,omitempty"`
	CPU     string `json:"cpu,omitempty"`     // instruction set libtorch chose
	BF16    bool   `json:"bf16,omitempty"`    // ours: the CPU multiplies bfloat16 in hardware
	NoBF16  string `json:"no_bf16,omitempty"` // ours: why it makes no bfloat16 products at all

	Auto []tasks.Choice `json:"auto,omitempty"` // auto: what precision = "auto" comes to for each model

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

// serve is our worker: it answers until its input ends.
func serve(in io.Reader, out io.Writer) {
	w := &worker{}
	lines := bufio.NewReader(in)
	answers := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q request
		a := reply{}
		if err = json.Unmarshal(line, &q); err == nil {
			a, err = w.answer(q)
		}
		if err != nil {
			a = reply{Error: err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			return
		}
	}
}

// worker is the state of our side.
type worker struct {
	c    workload.Case
	task task
}

// task is what a case has the worker do.
type task interface {
	// run does n steps, passes or scores, and returns the seconds that they took and what else is
	// known of them.
	run(n int) (reply, error)
}

func (w *worker) answer(q request) (reply, error) {
	if q.Without != "" {
		k, ok := kernels.Find(q.Without)
		if !ok {
			return reply{}, fmt.Errorf("no kernel is called %q", q.Without)
		}
		defer k.Turn(k.Turn(false))
	}
	switch q.Do {
	case "hello":
		return hello(), nil
	case "auto":
		choices, err := tasks.Auto(q.N)
		return reply{Auto: choices}, err
	case "memory":
		return w.memory()
	case "prepare":
		w.c = *q.Case
		return w.prepare()
	}
	if w.task == nil {
		return reply{}, fmt.Errorf("%q comes before prepare", q.Do)
	}
	if q.Do == "run" {
		before := processorTime()
		a, err := w.task.run(q.N)
		a.Processor = processorTime() - before
		return a, err
	}
	if m, ok := w.task.(*modelTask); ok {
		switch q.Do {
		case "losses":
			return m.losses(q.N)
		case "evaluate":
			return m.evaluate()
		case "outputs":
			return m.outputs()
		case "save":
			return m.save(q.Path)
		}
	}
	return reply{}, fmt.Errorf("the task %q does not know %q", w.c.Task, q.Do)
}
