package main

import (
	"context"
	"fmt"
	"strings"
)

// rivals compares training steps with every stronger form of the other side: compiled, in bfloat16
// by autocast, with logits of masked words alone, and all of it in a newer PyTorch where one is
// named. The fastest of them is named as the rival.
func (b *bench) rivals(ctx context.Context) error {
	path, err := b.write("rivals", synthetic(16*stepSentences, fixed(stepWords), stepVocab, 1))
	if err != nil {
		return err
	}
	t := b.table("rivals", fmt.Sprintf("The training step on %d sentences of %d words, by every form of plain "+
		"PyTorch, compiled before the clock starts.", stepSentences, stepWords),
		compareWidths, compareHead...)
	if why := b.compiles(ctx, path); why != "" {
		t.add("torch.compile is left out: "+why, "", "", "", "")
	}
	for _, k := range []struct {
		key, title, model string
		masked            bool
	}{
		{"smlm", "smlm", "smlm", false},
		{"smlm-masked", "smlm, loss of masked words only", "smlm", true},
		{"divlstm", "divlstm", "divlstm", false},
	} {
		c := b.paper(k.model, stepVocab).Batch(stepSentences*stepWords, stepWords)
		c.Data, c.MaskedOnly = path, k.masked
		if c, err = b.equal(ctx, c); err != nil {
			return err
		}
		r, err := b.compareRow(ctx, "rivals/"+k.key,
			row{Title: k.title, Sides: sides(b.forms(c)...), warm: 3}, always(3))
		if err != nil {
			return err
		}
		t.addRow(r, 1)
		for _, own := range []string{oursFP32, oursBF16} {
			at := r.at(own)
			if at < 0 {
				continue
			}
			rival := r.strongest(own == oursBF16)
			t.add(fmt.Sprintf("%s: %s, of the rival: %s", k.title, own, r.Sides[rival].Name), "", "", "",
				between(r.faster(at, rival), r.pairs(at, rival)))
		}
	}
	return nil
}

// compiles says why torch.compile does not work here, as without a C++ compiler; "" where it does.
func (b *bench) compiles(ctx context.Context, path string) string {
	c := tiny(paperSizes("smlm", 0))
	c.Vocab, c.Data, c.Compile, c.Threads = stepVocab, path, true, b.threads
	for _, s := range []side{theirs("torch.compile", c), {Name: "torch.compile", Case: c, Plain: true, newer: true}} {
		if s.newer && b.newer == "" {
			continue
		}
		w, err := b.start(ctx, s)
		if err == nil {
			if _, err = w.Ask(request{Do: "prepare", Case: &c}); err == nil {
				_, err = w.Ask(request{Do: "run", N: 1})
			}
			w.Stop()
		}
		if err != nil {
			b.eager = true
			why, _, _ := strings.Cut(err.Error(), "\n")
			return why
		}
	}
	return ""
}

// forms are the sides of a case: ours, and the other's in every form that it can have.
func (b *bench) forms(c benchCase) []side {
	plain := []side{theirs(plainFP32, c)}
	if c.MaskedOnly {
		chosen := c
		chosen.MaskedLogits = true
		plain = []side{theirs(plainAll, c), theirs(plainMasked, chosen)}
	}
	if last := plain[len(plain)-1]; b.report.Machine.Ours.BF16 {
		last.Case.BF16 = true
		last.Name = strings.Replace(last.Name, plainFP32, plainBF16, 1)
		plain = append(plain, last)
	}
	if strings.HasPrefix(c.Model, "smlm") && !b.eager { // an LSTM is one call, which is compiled already
		for _, s := range plain {
			s.Name, s.Case.Compile = s.Name+compiled, true
			plain = append(plain, s)
		}
	}
	all := append(plain[:1:1], b.own(c)...)
	all = append(all, plain[1:]...)
	if b.newer == "" {
		return all
	}
	for _, s := range plain {
		s.Name, s.newer = s.Name+", PyTorch "+b.report.Machine.Newer.Torch, true
		all = append(all, s)
		s.Name, s.Case.FusedAdam = s.Name+", fused Adam", true // which an older one has on GPUs alone
		all = append(all, s)
	}
	return all
}

// strongest is the other side's fastest form, in float32 or, with bf16, in either precision.
func (r *row) strongest(bf16 bool) int {
	best := -1
	for i, s := range r.Sides {
		if s.Plain && (bf16 || !s.Case.BF16) && (best < 0 || r.unit(i) < r.unit(best)) {
			best = i
		}
	}
	return best
}
