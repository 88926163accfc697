package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// served are the tasks whose time a kernel may save: trainings by the model's name, rewriting by
// "transfer" and the model's.
var served = map[string][]string{
	"adam":             models,
	"cached-attention": {"transfer smlm-g"},
	"conicity":         {"divlstm"},
	"dropout":          {"divlstm", "classifier"},
	"half-linear":      nil, // a GPU alone
	"heap":             append([]string{"transfer smlm", "transfer smlm-g"}, models...),
	"likeliest":        {"transfer smlm", "transfer smlm-g"},
	"lstm":             {"divlstm", "classifier"},
	"lstm-cell":        nil, // of judging alone: go test ./classifier -bench Predict
	"onednn":           {"smlm", "smlm-ft", "smlm-g", "divlstm", "transfer smlm"},
	"packing":          {"transfer smlm", "transfer smlm-g"},
	"vocabulary-loss":  {"smlm", "smlm-ft", "smlm-g"},
}

// kernels measures what each kernel is worth to each task that it serves. One process switches it
// on and off, since two of them, however alike, differ by some percent. Processor time says more
// than the clock where other programs run beside, and less of what only one thread does.
func (b *bench) kernels(ctx context.Context) error {
	t := b.table("kernels", fmt.Sprintf("What a task takes with all kernels and without one of them: a training step "+
		"on %d sentences of %d words, or the transfer of %d sentences, SMLM-G's greedy.",
		stepSentences, stepWords, b.sized(transferSentences)),
		[]int{17, 16, 10, 10, 26, 26}, "kernel", "task", "with", "without", "saved", "of processor time")
	for _, k := range kernels.All() {
		if b.kernel != "" && b.kernel != k.Name {
			continue
		}
		for _, task := range served[k.Name] {
			r, err := b.without(ctx, k, task)
			if err != nil {
				return err
			}
			t.add(k.Name, task, seconds(r.unit(0)), seconds(r.unit(1)), r.saved(clock), r.saved(processor))
		}
	}
	return nil
}

// without compares a task with all kernels and without one.
func (b *bench) without(ctx context.Context, k kernels.Kernel, task string) (*row, error) {
	model, rewrites := strings.CutPrefix(task, "transfer ")
	c := b.paper(model, stepVocab).Batch(stepSentences*stepWords, stepWords)
	s := synthetic(16*stepSentences, fixed(stepWords), stepVocab, 1)
	if rewrites {
		c.Task = "transfer"
		s = synthetic(b.sized(transferSentences), reviews, stepVocab, 3)
	}
	var err error
	if c.Data, err = b.write("kernels", s); err != nil {
		return nil, err
	}
	off := ours("without", c)
	off.without = k.Name
	return b.compareRow(ctx, "kernels/"+k.Name+"/"+task, row{
		Title: task, Sides: sides(ours("with", c), off), warm: 2,
		same: k.Name != "heap", // which takes effect at a process's start
	}, always(1))
}

func kernelNames() (names []string) {
	for _, k := range kernels.All() {
		names = append(names, k.Name)
	}
	return names
}

func clock(a reply) float64     { return a.Seconds }
func processor(a reply) float64 { return a.Processor }

// saved returns the share of the second side's time that the first does not take, pair by pair.
func (r *row) saved(of func(reply) float64) string {
	var all []float64
	for i, with := range r.Sides[0].Runs {
		all = append(all, 100*(1-of(with)/of(r.Sides[1].Runs[i])))
	}
	return fmt.Sprintf("%.1f %% (%.1f - %.1f)", median(all), least(all), most(all))
}
