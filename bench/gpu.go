package main

import (
	"context"
	"fmt"
)

// The sides that the targets name.
const (
	gpuEager = "eager"
	gpuOurs  = "ours"
)

// gpu compares an epoch of SMLM on a CUDA device. Everybody computes in bf16; the other side is
// eager, eager with the fused optimizer, and compiled with it.
func (b *bench) gpu(ctx context.Context) error {
	s := synthetic(b.gpuSentences, sentencePairs, stepVocab, 8)
	path, err := b.write("gpu", s)
	if err != nil {
		return err
	}
	c := b.paper("smlm", stepVocab).Batch(b.gpuWords, s.Mean())
	c.Data, c.Padded, c.Device, c.BF16 = path, true, b.device, true
	if c, err = b.equal(ctx, c); err != nil {
		return err
	}
	fused := c
	fused.FusedAdam = true
	compiled := fused
	compiled.Compile = true
	t := b.table("training epoch on "+b.device, fmt.Sprintf("%d sentences of 8 to 60 words, %.1f on average; %d "+
		"words a batch, vocabulary of %d, the paper's size, bf16.",
		b.gpuSentences, s.Mean(), b.gpuWords, stepVocab), compareWidths, compareHead...)
	r, err := b.compareRow(ctx, "gpu/smlm", row{
		Title: "smlm", per: perWord, warm: 50,
		Sides: sides(
			theirs(gpuEager, c), ours(gpuOurs, c), theirs("eager, fused Adam", fused),
			theirs("torch.compile, fused Adam", compiled),
		),
	}, b.slice)
	if err != nil {
		return err
	}
	t.addRow(r, float64(s.Words()))
	return nil
}
