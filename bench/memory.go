package main

import (
	"context"
	"fmt"
)

// flatness is the memory of a training after few and after many steps.
type flatness struct {
	Model    string `json:"model"`
	Resident [2]int64
	Live     [2]int // tensor handles
}

// growth is that of the resident memory, in percent.
func (f flatness) growth() float64 {
	return 100 * (float64(f.Resident[1])/float64(f.Resident[0]) - 1)
}

// memorySteps are the steps after which memory is read.
func (b *bench) memorySteps() [2]int {
	if b.quick {
		return [2]int{5, 50}
	}
	return [2]int{100, 10_000}
}

// memory trains small models for long, and reads their memory early and late.
func (b *bench) memory(ctx context.Context) error {
	t := b.table("memory of a training", "Small models; what Go would collect anyway is collected before memory is "+
		"read.", []int{44, 14, 14, 10, 26},
		"", fmt.Sprintf(
			"after %d", b.memorySteps()[0],
		), fmt.Sprintf("after %d", b.memorySteps()[1]), "growth", "live tensor handles")
	path, err := b.write("memory", synthetic(400, reviews, 200, 7))
	if err != nil {
		return err
	}
	for _, model := range models {
		f, err := b.flatness(ctx, model, path)
		if err != nil {
			return err
		}
		b.report.Memory = append(b.report.Memory, f)
		mb := func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
		t.add(
			model, mb(f.Resident[0]), mb(f.Resident[1]), fmt.Sprintf("%.2f %%", f.growth()),
			fmt.Sprintf("%d, %d", f.Live[0], f.Live[1]),
		)
	}
	return nil
}

func (b *bench) flatness(ctx context.Context, model, path string) (flatness, error) {
	c := tiny(paperSizes(model, 0))
	c.Data, c.Threads = path, 1 // more would wait for each other in models this small
	f := flatness{Model: model}
	w, err := b.start(ctx, ours(model, c))
	if err != nil {
		return f, err
	}
	defer w.Stop()
	if _, err := w.Ask(request{Do: "prepare", Case: &c}); err != nil {
		return f, err
	}
	made := 1 // the warm-up's
	for i, n := range b.memorySteps() {
		if _, err := w.Ask(request{Do: "run", N: n - made}); err != nil {
			return f, err
		}
		made = n
		a, err := w.Ask(request{Do: "memory"})
		if err != nil {
			return f, err
		}
		f.Resident[i], f.Live[i] = a.Resident, a.Live
	}
	return f, nil
}
