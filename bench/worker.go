package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// serve runs our worker: it answers requests until its input ends.
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

// worker holds the case and the model of our worker.
type worker struct {
	c     benchCase
	model benchModel
}

func (w *worker) answer(q request) (a reply, err error) {
	switch q.Do {
	case "prepare":
		return a, w.prepare(*q.Case)
	case "save":
		a.Weights, err = w.save(q.Folder)
		return a, err
	case "run":
		return w.run(q.N)
	}
	return a, fmt.Errorf("%q is unknown", q.Do)
}

// prepare reads the sentences, makes the model of a case and loads its weights, if any.
func (w *worker) prepare(c benchCase) error {
	data, err := read(c.Data)
	if err != nil {
		return err
	}
	return torch.Run(func() error {
		if err := torch.SetDevice(c.Device); err != nil {
			return err
		}
		torch.Seed(seed)
		w.c, w.model = c, newModel(c, data)
		for i, path := range c.Weights {
			if err := w.model.params[i].Load(path); err != nil {
				return err
			}
		}
		return nil
	})
}

// save writes the weights to files and returns the paths. The other workers start from these files.
func (w *worker) save(folder string) (paths []string, err error) {
	err = torch.Run(func() error {
		for i, p := range w.model.params {
			path := filepath.Join(folder, fmt.Sprintf("weights%d.safetensors", i))
			if err := p.Save(path); err != nil {
				return err
			}
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// run trains for n epochs, or rewrites all sentences n times. The measured time includes the
// optimizer's creation, shuffling, and a validation on two sentences.
func (w *worker) run(n int) (a reply, err error) {
	ctx := context.Background()
	start := time.Now()
	err = torch.Run(func() (err error) {
		if w.c.Task == "transfer" {
			for range n {
				if a.Outputs, err = w.model.transfer(ctx); err != nil {
					return err
				}
			}
			return nil
		}
		h, err := w.model.train(ctx, w.c.recipe(n))
		if err != nil {
			return err
		}
		a.Steps = h.Steps
		for _, e := range h.Epochs {
			a.Losses = append(a.Losses, e.TrainLoss)
		}
		return nil
	})
	a.Seconds = time.Since(start).Seconds()
	return a, errors.Join(err, a.readMemory())
}

// readMemory makes Go give unused memory back to the system. Then it stores the memory use of this
// process in the reply.
func (a *reply) readMemory() error {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	a.Peak = kilobytes(string(status), "VmHWM:")
	return nil
}

// kilobytes finds a line such as "KEY 12 kB" in the text of /proc/self/status and returns the size
// in bytes.
func kilobytes(status, key string) int64 {
	_, after, _ := strings.Cut(status, key)
	line, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	return n * 1024
}
