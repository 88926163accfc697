package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// The sentences of a transfer; those of SMLM-G's are fewer, as the plain program takes some twenty
// seconds for a thousand.
const (
	transferSentences = 1000
	greedySentences   = 200
)

// transfer compares guided refill with plain, which takes the least time, and then the rewriting of
// sentences on both sides. Weights are not trained: SMLM-G writes as many words as the source has,
// since untrained ones do not end a sentence.
func (b *bench) transfer(ctx context.Context) error {
	if err := b.guided(ctx); err != nil {
		return err
	}
	t := b.table("transfer", fmt.Sprintf("%d sentences of 1 to 15 words, SMLM-G %d; the same weights on both sides; "+
		"theirs in batches of 64.", b.sized(transferSentences), b.sized(greedySentences)),
		compareWidths, compareHead...)
	for _, k := range []struct {
		key, title, model string
		copies            bool
		sentences         int
	}{
		{"copied", "smlm, decoding copied", "smlm", true, transferSentences},
		{"predicted", "smlm, all words predicted", "smlm", false, transferSentences},
		{"greedy", "smlm-g, greedy", "smlm-g", false, greedySentences},
	} {
		path, err := b.write("transfer", synthetic(b.sized(k.sentences), reviews, stepVocab, 3))
		if err != nil {
			return err
		}
		c := b.paper(k.model, stepVocab)
		c.Task, c.Data, c.BatchSize, c.Padded, c.Copy = "transfer", path, 64, true, k.copies
		if c, err = b.equal(ctx, c); err != nil {
			return err
		}
		var differ []int
		all := append([]side{theirs(plainFP32, c)}, b.own(c)...)
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

// own is our side in both precisions, or in float32 alone where nobody would ask for the other.
func (b *bench) own(c benchCase) []side {
	all := []side{ours(oursFP32, c)}
	if !b.report.Machine.Ours.BF16 {
		return all
	}
	low := c
	low.BF16 = true
	return append(all, ours(oursBF16, low))
}

// The sides of a guided transfer.
const (
	unguided   = "plain, decoding copied"
	gammaAlone = "gamma 2 alone, all masks at once"
	guidedAll  = "guided, the defaults"
	rankedAll  = "guided, the defaults, ranked"
	withSlots  = "guided, the defaults, masks that become up to two words"
)

// guided compares guided refill with the same model's plain one.
func (b *bench) guided(ctx context.Context) error {
	c := b.paper("guided", stepVocab)
	path, err := b.write("guided", styled(b.sized(transferSentences), reviews, c.Vocab, 3))
	if err != nil {
		return err
	}
	c.Task, c.Data = "transfer", path
	if c, err = b.equal(ctx, c); err != nil {
		return err
	}
	t := b.table("guided transfer", fmt.Sprintf("%d sentences of 1 to 15 words, briefly trained models of the sizes "+
		"of experiments/guided.toml.", b.sized(transferSentences)),
		compareWidths, slices.Concat(compareHead[:4], []string{"faster than the first"})...)
	for _, key := range []string{"fp32", "bf16"} {
		bf16 := key == "bf16"
		if bf16 && !b.report.Machine.Ours.BF16 {
			continue // nobody would ask for it
		}
		all := []side{
			ours(unguided, c), ours(gammaAlone, c), ours(guidedAll, c), ours(withSlots, c), ours(rankedAll, c),
		}
		shipped := experiment.DefaultSettings().Guided.Needed()
		all[1].Case.Guided = &recipe.Guided{
			Gamma: shipped.Gamma, Plausible: shipped.Plausible, Order: recipe.AtOnce, Candidates: 1,
		}
		all[2].Case.Guided, all[3].Case.Guided = &shipped, &shipped
		all[3].Case.Slotting = experiment.DefaultSettings().SMLM.Slotting
		all[3].Case.Slotting.Slots = 2
		ranked := shipped
		ranked.Ranked = true
		all[4].Case.Guided = &ranked
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

// differing counts, for every worker, the sentences that it rewrites in another way than the first.
func differing(workers []*process) ([]int, error) {
	var first [][]int64
	out := make([]int, len(workers))
	for i, w := range workers {
		a, err := w.Ask(request{Do: "outputs"})
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
