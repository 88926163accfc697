package main

import (
	"fmt"
)

// target is something the project set out to reach.
type target struct {
	What string  `json:"what"`
	Want float64 `json:"want"`
	Got  float64 `json:"got"` // a median
	Unit string  `json:"unit"`
	Most bool    `json:"most,omitempty"` // Want is the most, not the least
}

func (t target) holds() bool {
	if t.Most {
		return t.Got <= t.Want
	}
	return t.Got >= t.Want
}

// judge compares what was measured with the targets; what was not run is left out.
func (b *bench) judge() {
	b.speeds()
	b.scaling()
	if len(b.report.Targets) == 0 {
		return
	}
	t := b.table("targets", "", []int{84, 13, 12, 6}, "", "target", "measured", "holds")
	for _, g := range b.report.Targets {
		sign, yes := "at least", "no"
		if g.Most {
			sign = "at most"
		}
		if g.holds() {
			yes = "yes"
		}
		t.add(g.What, fmt.Sprintf("%s %.4g%s", sign, g.Want, g.Unit), fmt.Sprintf("%.2f%s", g.Got, g.Unit), yes)
	}
	if !b.report.Machine.Ours.BF16 {
		t.add("bf16 has no target on this CPU, which is slow at it", "", "", "")
	}
	if _, ok := b.report.Rows["gpu/smlm"]; !ok {
		t.add("an epoch on a GPU: not measured in this run (--only gpu)", "", "", "")
	}
}

func (b *bench) want(what string, want, got float64, unit string) {
	b.report.Targets = append(b.report.Targets, target{What: what, Want: want, Got: got, Unit: unit})
}

func (b *bench) wantMost(what string, want, got float64, unit string) {
	b.report.Targets = append(b.report.Targets, target{What: what, Want: want, Got: got, Unit: unit, Most: true})
}

// ratio wants one side of a row to be faster than another.
func (b *bench) ratio(key, what string, side, than string, want float64) {
	if r, ok := b.report.Rows[key]; ok {
		b.want(what, want, r.faster(r.at(side), r.at(than)), "x")
	}
}

func (b *bench) speeds() {
	b.ratio("step/smlm", "1. smlm step, fp32, of plain fp32", oursFP32, plainFP32, 1.35)
	b.ratio("epoch/smlm", "1. smlm epoch, fp32, of plain fp32", oursFP32, plainFP32, 1.8)
	if r, ok := b.report.Rows["step/smlm"]; ok {
		_, percent := r.rate(oursFP32, productsFP32)
		b.want("1. smlm step, fp32, share of the matrix rate", 85, median(percent), " %")
	}
	if b.report.Machine.Ours.BF16 {
		b.ratio("step/smlm", "1. smlm step, bf16, of plain fp32", oursBF16, plainFP32, 2)
		b.ratio("epoch/smlm", "1. smlm epoch, bf16, of plain fp32", oursBF16, plainFP32, 2)
	}
	beside := func(than, of, model, what string, want float64) {
		b.ratio(of+"/"+model, what+", fp32", oursFP32, than, want)
		if r, ok := b.report.Rows[of+"/"+model]; ok && r.at(oursBF16) >= 0 {
			b.ratio(of+"/"+model, what+", bf16", oursBF16, than, want)
		}
	}
	both := func(of, model, what string, want float64) { beside(plainFP32, of, model, what, want) }
	for _, of := range []string{"step", "epoch"} {
		for _, model := range []string{"divlstm", "classifier"} {
			both(of, model, fmt.Sprintf("2. %s %s of plain fp32", model, of), 1.35)
		}
	}
	both("epoch", "smlm-ft", "2. smlm-ft epoch of the plain two-pass program", 2)
	both("transfer", "copied", "3. transfer, smlm, decoding copied", 3)
	beside(plainMasked, "transfer", "copied",
		"3. the same, of a plain program that computes logits of masked words alone", 3)
	both("transfer", "predicted", "3. transfer, smlm, all words predicted", 3)
	both("transfer", "greedy", "3. transfer, smlm-g, greedy", 3)
	for _, key := range []string{"fp32", "bf16"} {
		if r, ok := b.report.Rows["guided/"+key]; ok {
			b.wantMost("3. guided transfer of 1,000 sentences, the defaults, "+key, 5, r.unit(r.at(guidedAll)), " s")
			b.wantMost("3. gamma alone, of plain, "+key, 2.2, median(r.pairs(r.at(unguided), r.at(gammaAlone))), "x")
			b.wantMost("3. with slots, of the defaults, "+key, 1.8, median(r.pairs(r.at(guidedAll), r.at(withSlots))), "x")
		}
	}
	b.ratio("score/new", "3. scoring one system, scorers and models made for it on both sides", tstNew, nlgNew, 10)
	b.ratio("score/kept", "3. the same, scorers and models kept from system to system", tstKept, nlgKept, 1.5)
	b.ratio("score/full", "3. the report with METEOR, perplexity and intervals, of the usual tools", oursAll, usualTools, 5)
	if r, ok := b.report.Rows["workers/sweep"]; ok {
		b.wantMost("a sweep of 24 small points by two workers, of one with two threads", 0.75, median(r.pairs(0, 1)), "x")
	}
	if r, ok := b.report.Rows["gpu/smlm"]; ok {
		words := float64(synthetic(b.gpuSentences, sentencePairs, stepVocab, 8).Words())
		b.wantMost("5. smlm epoch on a GPU, of 366,000 sentences", 8, r.unit(r.at(gpuOurs))*words, " s")
		b.ratio("gpu/smlm", "5. smlm epoch on a GPU, of eager PyTorch", gpuOurs, gpuEager, 1.3)
	}
}

func (b *bench) scaling() {
	for _, f := range b.report.Memory {
		b.wantMost("4. memory after 10,000 steps of "+f.Model+", over that after 100", 2, f.growth(), " %")
	}
	for _, task := range grown {
		r, ok := b.report.Rows["growth/"+task]
		if !ok {
			continue
		}
		for i, k := range []float64{4, 16} {
			b.wantMost(
				fmt.Sprintf("4. %s, %gx the sentences: a sentence's cost, of that at 1x", task, k), 1.1,
				median(r.grown(i+1)), "x",
			)
		}
	}
}
