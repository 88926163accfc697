package main

import (
	"context"
	"fmt"
)

// The batch of a step, and the words that models are measured with.
const (
	stepSentences = 128
	stepWords     = 12
	stepVocab     = 10_000
)

// step compares training steps on sentences of one length. Theirs has no padding there, and so no
// mask and nothing to pack: its strongest form.
func (b *bench) step(ctx context.Context) error {
	path, err := b.write("step", synthetic(16*stepSentences, fixed(stepWords), stepVocab, 1))
	if err != nil {
		return err
	}
	t := b.table("training step", fmt.Sprintf(
		"%d sentences of %d words, vocabulary of %d, the paper's sizes.", stepSentences, stepWords, stepVocab,
	),
		compareWidths, compareHead...)
	for _, model := range models {
		c := b.paper(model, stepVocab).Batch(stepSentences*stepWords, stepWords)
		c.Data = path
		if c, err = b.equal(ctx, c); err != nil {
			return err
		}
		all := append([]side{theirs(plainFP32, c), ours(productsFP32, products(c, false))}, b.own(c)...)
		if model == "smlm" && b.report.Machine.Ours.BF16 {
			low := c
			low.BF16 = true
			all = append(all, theirs(plainBF16, low), ours(productsBF16, products(c, true)))
		}
		r, err := b.compareRow(ctx, "step/"+model, row{Title: model, Sides: sides(all...), warm: 3}, always(3))
		if err != nil {
			return err
		}
		t.addRow(r, 1)
	}
	b.rates()
	b.shapes(b.report.Rows["step/smlm"])
	return nil
}

// products is the case of a training case's matrix products alone.
func products(c benchCase, bf16 bool) benchCase {
	c.Task, c.BF16, c.Weights = "products", bf16, nil
	return c
}

// rate is what a side's step reaches of the matrix rate: its operations a second over those of its
// products alone, pair by pair. What a side does not do is not counted.
func (r *row) rate(step, alone string) (operations float64, percent []float64) {
	s := r.Sides[r.at(step)]
	operations = flops(
		stepProducts(s.Case, s.Case.BatchSize, s.Case.BatchTokens/s.Case.BatchSize, s.Plain),
	)
	for _, x := range ratios(r.each(r.at(alone)), r.each(r.at(step))) {
		percent = append(percent, 100*x*operations/flops(rateProducts(s.Case)))
	}
	return operations, percent
}

// rates says how near the steps come to the matrix rate.
func (b *bench) rates() {
	t := b.table("share of the matrix rate",
		"The matrix operations that a side makes a second, in percent of the rate of a step's products alone, "+
			"measured in turn with it. Each product "+
			"goes through the faster of MKL and oneDNN there.",
		[]int{44, 18, 24, 18, 22, 22}, "", "matrix rate", "operations, plain's", "ours", "share, ours", "plain")
	for _, model := range models {
		r := b.report.Rows["step/"+model]
		b.addRate(t, r, model+" fp32", oursFP32, plainFP32, productsFP32)
		if model == "smlm" && r.at(productsBF16) >= 0 {
			b.addRate(t, r, model+" bf16", oursBF16, plainBF16, productsBF16)
		}
	}
}

func (b *bench) addRate(t *table, r *row, name, own, plain, alone string) {
	fewer, ours := r.rate(own, alone)
	all, theirs := r.rate(plain, alone)
	speed := flops(rateProducts(r.Sides[r.at(alone)].Case)) / median(r.each(r.at(alone)))
	operations := func(n float64) string { return fmt.Sprintf("%.1f GFLOP", n/1e9) }
	percent := func(xs []float64) string {
		return fmt.Sprintf("%.0f %% (%.0f - %.0f)", median(xs), least(xs), most(xs))
	}
	t.add(
		name, fmt.Sprintf("%.0f GFLOP/s", speed/1e9), operations(all), operations(fewer), percent(ours),
		percent(theirs),
	)
}

// shapes tells the rate of every product of an SMLM step.
func (b *bench) shapes(r *row) {
	t := b.table("matrix products of an smlm step", "Forward, and the gradients of input and weight, together.",
		[]int{44, 20, 6, 14, 14}, "", "M x K x N", "times", "fp32", "bf16")
	high := r.Sides[r.at(productsFP32)]
	for i, p := range rateProducts(high.Case) {
		speed := func(m measured) string {
			var s []float64
			for k, a := range m.Runs {
				s = append(s, a.Each[i]/float64(m.Steps[k]))
			}
			return fmt.Sprintf("%.0f GFLOP/s", flops([]product{p})/median(s)/1e9)
		}
		low := ""
		if at := r.at(productsBF16); at >= 0 {
			low = speed(r.Sides[at])
		}
		t.add(p.What, fmt.Sprintf("%d x %d x %d", p.M, p.K, p.N), fmt.Sprint(p.Times), speed(high), low)
	}
}
