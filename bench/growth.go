package main

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

const guidedTransfer = "guided transfer"

// grown are the tasks of growing numbers of sentences.
var grown = []string{"train", "transfer", guidedTransfer, "score"}

// growth measures how cost grows with sentences, length and vocabulary.
func (b *bench) growth(ctx context.Context) error {
	t := b.table("growth with sentences", "A small smlm trains, and rewrites, 1, 4 and 16 times as many sentences "+
		"of 12 words, also by guided refill; our report scores as many outputs.",
		[]int{44, 10, 20, 11, 26}, "", "median", "least-most", "peak memory", "a sentence, of 1x")
	small := b.paper("smlm", 2000).Batch(32*stepWords, stepWords)
	if !b.quick {
		small.SMLM.SMLMShape = recipe.SMLMShape{Layers: 1, Heads: 4, Dim: 128, FF: 256}
	}
	for _, task := range grown {
		if err := b.growSentences(ctx, t, small, task); err != nil {
			return err
		}
	}
	if err := b.growLength(ctx); err != nil {
		return err
	}
	return b.growVocab(ctx)
}

// growBase is how many sentences the cost of more is compared with.
const growBase = 640

// growSentences measures one task over 1, 4 and 16 times as many sentences; all sizes take turns,
// so that a busy machine slows them alike.
func (b *bench) growSentences(ctx context.Context, t *table, small benchCase, task string) error {
	var all []side
	base := map[bool]int{false: growBase, true: growBase / 8}[task == guidedTransfer] // or it would take ten minutes
	for _, k := range []int{1, 4, 16} {
		c := small
		c.Task = task
		path := fmt.Sprintf("%s/%s%d.txt", b.dir, task, k)
		var err error
		switch task {
		case "score":
			c.Scorer, c.Classifier.BiLSTMShape = ownAll, recipe.BiLSTMShape{Embedding: 16, Hidden: 16}
			err = newSyntheticSystem(k*base, 5).Write(path)
		case guidedTransfer:
			shipped := experiment.DefaultSettings().Guided.Needed()
			c = b.paper("guided", small.Vocab)
			c.Task, c.Guided = "transfer", &shipped
			err = styled(k*base, fixed(stepWords), c.Vocab, 5).Write(path)
		default:
			err = synthetic(k*base, fixed(stepWords), c.Vocab, 5).Write(path)
		}
		c.Data = path
		if err == nil && task == guidedTransfer {
			c, err = b.equal(ctx, c) // which trains it; the other models work as much however they are drawn
		}
		if err != nil {
			return err
		}
		s := ours(fmt.Sprintf("%d sentences", k*base), c)
		s.times = 16 / k // every size does the same work in a run
		all = append(all, s)
	}
	r, err := b.compareRow(ctx, "growth/"+task, row{Title: task, Sides: sides(all...)},
		func(_, epoch int) int { return max(1, epoch) })
	if err != nil {
		return err
	}
	for i := range r.Sides {
		s, relative := r.passes(i), r.grown(i)
		t.add(
			r.Title+": "+r.Sides[i].Name, seconds(median(s)), seconds(least(s))+" - "+seconds(most(s)),
			megabytes(r.Sides[i].Peak), times(relative),
		)
	}
	return nil
}

// passes returns the seconds of a pass over a side's sentences in every alternation.
func (r *row) passes(s int) []float64 {
	var out []float64
	for _, a := range r.Sides[s].Runs {
		out = append(out, a.Seconds/float64(r.Sides[s].times))
	}
	return out
}

// grown returns a side's cost of a sentence over that of the first side, pair by pair: the sides do
// the same work in a run.
func (r *row) grown(s int) []float64 {
	cost := func(s int) (out []float64) {
		for _, a := range r.Sides[s].Runs {
			out = append(out, a.Seconds)
		}
		return out
	}
	return ratios(cost(s), cost(0))
}

// growLength measures a step of the paper's size on as many words in sentences of other lengths.
func (b *bench) growLength(ctx context.Context) error {
	t := b.table("growth with length", fmt.Sprintf("An smlm step on %d words, the paper's size.", epochWords),
		compareWidths, compareHead...)
	for _, n := range []int{8, 16, 32, 64} {
		if err := b.grow(ctx, t, fmt.Sprintf("length %d", n), n, stepVocab); err != nil {
			return err
		}
	}
	return nil
}

// growVocab measures a step of the paper's size with other vocabularies.
func (b *bench) growVocab(ctx context.Context) error {
	t := b.table("growth with vocabulary",
		fmt.Sprintf("An smlm step on %d sentences of %d words, the paper's size.", stepSentences, stepWords),
		compareWidths, compareHead...)
	for _, v := range []int{5000, 25000} {
		if err := b.grow(ctx, t, fmt.Sprintf("vocabulary of %d", v), stepWords, v); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) grow(ctx context.Context, t *table, name string, length, vocab int) error {
	c := b.paper("smlm", vocab).Batch(epochWords, float64(length))
	text := synthetic(4*c.BatchSize, fixed(length), vocab, 6)
	var err error
	if c.Data, err = b.write(fmt.Sprintf("grow%d.%d", length, vocab), text); err != nil {
		return err
	}
	if c, err = b.equal(ctx, c); err != nil {
		return err
	}
	r, err := b.compareRow(ctx, "growth/"+name,
		row{Title: name, Sides: sides(theirs(plainFP32, c), ours(oursFP32, c))}, always(1))
	if err != nil {
		return err
	}
	t.addRow(r, 1)
	return nil
}
