package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

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
	c    benchCase
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
		choices, err := auto(q.N)
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
