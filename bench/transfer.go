package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/bench/workload"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
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
	return b.guided(ctx)
}

// The sides of a guided transfer.
const (
	unguided   = "plain, unmasked words copied"
	gammaAlone = "gamma 2 alone, all masks at once"
	guidedAll  = "guided, the defaults"
)

// guided compares guided refill with the same model's plain one.
func (b *bench) guided(ctx context.Context) error {
	c := b.paper("guided", stepVocab)
	path, err := b.write("guided", workload.Styled(b.fewer(transferSentences), workload.Reviews, c.Vocab, 3))
	if err != nil {
		return err
	}
	c.Task, c.Data = "transfer", path
	if c.Weights, err = b.drawn(ctx, c); err != nil {
		return err
	}
	t := b.table("guided transfer", fmt.Sprintf("%d sentences of 1 to 15 words, briefly trained models of the sizes "+
		"of experiments/guided.toml.", b.fewer(transferSentences)),
		compareWidths, slices.Concat(compareHead[:4], []string{"faster than the first"})...)
	for key, bf16 := range map[string]bool{"fp32": false, "bf16": true} {
		if bf16 && !b.report.Machine.Ours.BF16 {
			continue // nobody would ask for it
		}
		all := []side{ours(unguided, c), ours(gammaAlone, c), ours(guidedAll, c)}
		shipped := recipe.GuidedDefault.Needed()
		all[1].Case.Guided = &recipe.Guided{
			Gamma: shipped.Gamma, Plausible: shipped.Plausible, Order: recipe.AtOnce, Candidates: 1,
		}
		all[2].Case.Guided = &shipped
		for i := range all {
			all[i].Case.BF16 = bf16
		}
		r, err := b.compareRow(ctx, "guided/"+key, row{Title: key, Sides: sides(all...)}, always(1))
		if err != nil {
			return err
		}
		t.addRow(r, 1)
	}
	return nil
}

// drawn has our side draw a model's weights, or train those that are of no use as drawn. It returns
// the files with them.
func (b *bench) drawn(ctx context.Context, c workload.Case) ([]string, error) {
	w, err := b.start(ctx, ours("ours", c))
	if err != nil {
		return nil, err
	}
	defer w.stop()
	if _, err := w.ask(request{Do: "prepare", Case: &c}); err != nil {
		return nil, err
	}
	paths := []string{filepath.Join(b.dir, c.Model+".safetensors"), filepath.Join(b.dir, c.Model+".second.safetensors")}
	if c.Model != "smlm-ft" && c.Model != "guided" {
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
