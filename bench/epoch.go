package main

import (
	"context"
	"fmt"
)

// epochWords is what a batch of an epoch holds: the token budget of ours, and on average a batch of
// theirs.
const epochWords = stepSentences * stepWords

// epoch compares epochs over sentences of different lengths: theirs pads, masks and packs. An epoch
// is run once, in as many parts as there are alternations.
func (b *bench) epoch(ctx context.Context) error {
	s := synthetic(b.sized(b.sentences), reviews, stepVocab, 2)
	path, err := b.write("epoch", s)
	if err != nil {
		return err
	}
	t := b.table("training epoch", fmt.Sprintf("%d sentences of 1 to 15 words, %.1f on average; %d words a batch, "+
		"vocabulary of %d, the paper's sizes.",
		len(s.IDs), s.Mean(), epochWords, stepVocab), compareWidths, compareHead...)
	for _, model := range models {
		c := b.paper(model, stepVocab).Batch(epochWords, s.Mean())
		c.Data, c.Padded = path, true
		if c, err = b.equal(ctx, c); err != nil {
			return err
		}
		all := append([]side{theirs(plainFP32, c)}, b.own(c)...)
		r, err := b.compareRow(ctx, "epoch/"+model, row{Title: model, Sides: sides(all...), per: perWord}, b.slice)
		if err != nil {
			return err
		}
		t.addRow(r, float64(s.Words()))
	}
	smlm := b.report.Rows["epoch/smlm"]
	batches := func(side string) int { return smlm.Sides[smlm.at(side)].Epoch }
	t.add(fmt.Sprintf("batches: plain %d, ours %d", batches(plainFP32), batches(oursFP32)), "", "", "", "")
	return nil
}
