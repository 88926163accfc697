package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/bench/workload"
)

const transferSentences = 1000

// transfer compares the rewriting of sentences, with the same weights on both sides. These are not
// trained: SMLM-G writes as many words as the source has, since untrained ones do not end a
// sentence.
func (b *bench) transfer(ctx context.Context) error {
	s := workload.Synthetic(b.fewer(transferSentences), workload.Reviews, stepVocab, 3)
	path, err := b.write("transfer", s)
	if err != nil {
		return err
	}
	t := b.table("transfer", fmt.Sprintf("%d sentences of 1 to 15 words, the same weights on both sides; theirs in "+
		"batches of 64.", len(s.IDs)),
		compareWidths, compareHead...)
	for _, k := range []struct {
		key, title, model string
		copies            bool
	}{
		{"copied", "smlm, unmasked words copied", "smlm", true},
		{"predicted", "smlm, all words predicted", "smlm", false},
		{"greedy", "smlm-g, greedy", "smlm-g", false},
	} {
		c := b.paper(k.model, stepVocab)
		c.Task, c.Data, c.BatchSize, c.Padded, c.Copy = "transfer", path, 64, true, k.copies
		if c.Weights, err = b.drawn(ctx, c); err != nil {
			return err
		}
		var differ []int
		low := c
		low.BF16 = true
		all := []side{theirs(plainFP32, c), ours(oursFP32, c), ours(oursBF16, low)}
		if k.copies {
			masked := c
			masked.MaskedLogits = true
			all = append(all, theirs(plainMasked, masked))
		}
		r, err := b.compareRow(ctx, "transfer/"+k.key, row{
			Title: k.title, Sides: sides(all...),
			ready: func(w []*process) error { differ, err = differing(w); return err },
		}, always(1))
		if err != nil {
			return err
		}
		t.addRow(r, 1)
		for i, n := range differ {
			if n > 0 {
				t.add(
					fmt.Sprintf("%s: %d outputs of %s differ from the first's", k.title, n, all[i].Name), "", "", "",
					"",
				)
			}
		}
	}
	return nil
}

// drawn has our side draw a model's weights, and returns the files it wrote them to.
func (b *bench) drawn(ctx context.Context, c workload.Case) ([]string, error) {
	w, err := b.start(ctx, ours("ours", c))
	if err != nil {
		return nil, err
	}
	defer w.stop()
	if _, err := w.ask(request{Do: "prepare", Case: &c}); err != nil {
		return nil, err
	}
	paths := []string{filepath.Join(b.dir, c.Model+".safetensors"), filepath.Join(b.dir, c.Model+".head.safetensors")}
	if c.Model != "smlm-ft" {
		paths = paths[:1]
	}
	_, err = w.ask(request{Do: "save", Path: paths})
	return paths, err
}

// differing counts, for every worker, the sentences that it rewrites in another way than the first.
func differing(workers []*process) ([]int, error) {
	var first [][]int64
	out := make([]int, len(workers))
	for i, w := range workers {
		a, err := w.ask(request{Do: "outputs"})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = a.Outputs
		}
		for k, ids := range a.Outputs {
			if !slices.Equal(ids, first[k]) {
				out[i]++
			}
		}
	}
	return out, nil
}
