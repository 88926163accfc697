package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// memory trains very small models with our worker, on the CPU, for more than 10,000 steps. It
// prints the memory and the number of tensor handles early in the training and at its end. Neither
// should grow.
func (b *bench) memory(ctx context.Context) error {
	fmt.Fprintf(b.out, "\nMemory and live tensor handles of a long training:\n\n")
	fmt.Fprintln(b.out, "| | after steps | memory | growth | handles |\n| :--- | ---: | ---: | ---: | ---: |")
	epochs := [2]int{2, 200}
	if b.quick {
		epochs = [2]int{1, 3}
	}
	for _, model := range models {
		early, late, err := b.grow(ctx, model, epochs)
		if err != nil {
			return err
		}
		mb := func(a reply) float64 { return float64(a.Resident) / 1e6 }
		fmt.Fprintf(b.out, "| %-10s | %d, %d | %.1f, %.1f MB | %.2f %% | %d, %d |\n", model, early.Steps,
			early.Steps+late.Steps, mb(early), mb(late), 100*(mb(late)/mb(early)-1), early.Live, late.Live)
	}
	return nil
}

// grow trains a model for epochs[0] epochs and then for epochs[1] more. It returns both replies.
func (b *bench) grow(ctx context.Context, model string, epochs [2]int) (early, late reply, err error) {
	c := tiny(paperSizes(model))
	c.Data = filepath.Join(b.dir, "sentences.json")
	s := synthetic(400, reviews, c.Vocab, 7)
	if err := write(c.Data, s); err != nil {
		return early, late, err
	}
	// In models this small, more threads would only wait for each other.
	p, err := b.start(ctx, "ours", c.batched(60, meanLength(s)), "OMP_NUM_THREADS=1")
	if err != nil {
		return early, late, err
	}
	defer p.stop()
	if early, err = p.ask(request{Do: "run", N: epochs[0]}); err != nil {
		return early, late, err
	}
	late, err = p.ask(request{Do: "run", N: epochs[1]})
	return early, late, err
}
