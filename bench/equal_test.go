package main

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// small is a model small enough for a test, without dropout, and the sentences given in a file; our
// side has drawn its weights.
func small(t *testing.T, model string, s syntheticText) benchCase {
	t.Helper()
	c := tiny(paperSizes(model, 0)).Batch(1000, s.Mean())
	c.Data, c.Threads = filepath.Join(t.TempDir(), "data.txt"), 1
	c.SMLM.Dropout, c.DivLSTM.Dropout, c.Classifier.Dropout = 0, 0, 0
	c.Reconstruct = min(c.Reconstruct, .7) // at 10 the other term would hide in the rounding
	if err := s.Write(c.Data); err != nil {
		t.Fatal(err)
	}
	m, err := newModelTask(c)
	if err != nil {
		t.Fatal(err)
	}
	for range m.model.Params {
		c.Weights = append(c.Weights, filepath.Join(t.TempDir(), "weights.safetensors"))
	}
	if _, err := m.save(c.Weights); err != nil {
		t.Fatal(err)
	}
	return c
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, plain PyTorch has %v", what, got, want)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 2e-5*math.Abs(want[i]) {
			t.Errorf("%s: %v, plain PyTorch has %v", what, got, want)
			return
		}
	}
}

// variants are the models and, of SMLM, the other loss, with all logits and with those that count.
func variants(edit func(name string, c benchCase)) {
	for _, model := range models {
		edit(model, benchCase{Model: model})
	}
	edit("smlm-masked", benchCase{Model: "smlm", MaskedOnly: true})
	edit("smlm-masked logits", benchCase{Model: "smlm", MaskedOnly: true, MaskedLogits: true})
}

// TestSameTraining compares the losses of both programs at the first steps, from the same weights:
// forward, backward and update must agree. Padding, masks and packing must change nothing, so the
// form of the epoch rows is compared with that of the step rows.
func TestSameTraining(t *testing.T) {
	plain := plainWorker(t)
	s := synthetic(12, fixed(6), 200, 1)
	variants(func(name string, v benchCase) {
		t.Run(name, func(t *testing.T) {
			c := small(t, v.Model, s)
			c.MaskedOnly, c.MaskedLogits, c.BatchSize = v.MaskedOnly, v.MaskedLogits, len(s.IDs)
			const steps = 4
			if v.Model == "smlm-ft" {
				// the head has seen the states of another model, as the plain one goes forward
				// again: TestSameHead
				c.Style = 0
			}
			if own := sameLosses(t, plain, c, steps); own[0] == own[steps-1] {
				t.Errorf("the loss stays at %v: nothing was trained", own)
			}
		})
	})
}

// sameLosses wants the other side, padding or not, to have our losses at the first steps, and
// returns these.
func sameLosses(t *testing.T, plain *process, c benchCase, steps int) []float64 {
	t.Helper()
	m, err := newModelTask(c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.losses(steps)
	own := must(t, a, err).Losses
	for _, c.Padded = range []bool{false, true} {
		mustAsk(t, plain, request{Do: "prepare", Case: &c})
		near(t, "losses of steps", own, mustAsk(t, plain, request{Do: "losses", N: steps}).Losses)
	}
	return own
}

// TestSameHead compares fine-tuning's first loss, the head's opinion included.
func TestSameHead(t *testing.T) {
	plain := plainWorker(t)
	s := synthetic(12, fixed(6), 200, 1)
	c := small(t, "smlm-ft", s)
	c.BatchSize = len(s.IDs)
	sameLosses(t, plain, c, 1)
}

// TestSamePadding compares the loss of one padded batch with ours over batches of equal length:
// padding must not count.
func TestSamePadding(t *testing.T) {
	plain := plainWorker(t)
	s := synthetic(30, reviews, 200, 2)
	variants(func(name string, v benchCase) {
		if name == "smlm-ft" {
			return // its evaluation leaves out the head: TestSamePaddingOfHead
		}
		t.Run(name, func(t *testing.T) {
			c := small(t, v.Model, s)
			c.MaskedOnly, c.MaskedLogits, c.BatchSize, c.Padded = v.MaskedOnly, v.MaskedLogits, len(s.IDs), true
			m, err := newModelTask(c)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.evaluate()
			own := must(t, a, err)
			mustAsk(t, plain, request{Do: "prepare", Case: &c})
			near(t, "loss", own.Losses, mustAsk(t, plain, request{Do: "losses", N: 1}).Losses)
		})
	})
}

// TestSamePaddingOfHead compares the head's part of fine-tuning, a mean over sentences, on a padded
// batch of two lengths with ours on each.
func TestSamePaddingOfHead(t *testing.T) {
	plain := plainWorker(t)
	short, long := synthetic(6, fixed(3), 200, 3), synthetic(10, fixed(8), 200, 4)
	both := syntheticText{corpus.Encoded{
		IDs: slices.Concat(short.IDs, long.IDs), Styles: slices.Concat(short.Styles, long.Styles),
		Asked: slices.Concat(short.Asked, long.Asked),
		Masks: slices.Concat(short.Masks, long.Masks),
	}}
	c := small(t, "smlm-ft", both)
	c.Reconstruct, c.BatchSize, c.Padded = 0, len(both.IDs), true
	mustAsk(t, plain, request{Do: "prepare", Case: &c})
	theirs := mustAsk(t, plain, request{Do: "losses", N: 1}).Losses
	sum := 0.0
	for _, s := range []syntheticText{short, long} {
		if err := s.Write(c.Data); err != nil {
			t.Fatal(err)
		}
		m, err := newModelTask(c)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.losses(1)
		sum += must(t, a, err).Losses[0] * float64(len(s.IDs))
	}
	near(t, "loss", []float64{sum / float64(len(both.IDs))}, theirs)
}

// TestSameTransfer wants the same words of both programs.
func TestSameTransfer(t *testing.T) {
	plain := plainWorker(t)
	s := synthetic(100, reviews, 200, 5)
	for _, k := range []struct {
		name, model string
		edit        func(*benchCase)
	}{
		{"copied", "smlm", func(c *benchCase) { c.Copy = true }},
		{"copied, masked logits", "smlm", func(c *benchCase) { c.Copy, c.MaskedLogits = true, true }},
		{"predicted", "smlm", func(*benchCase) {}},
		{"greedy", "smlm-g", func(*benchCase) {}},
		{"greedy, longer", "smlm-g", func(c *benchCase) { c.MaxExtra = 4 }},
	} {
		t.Run(k.name, func(t *testing.T) {
			c := small(t, k.model, s)
			c.Task, c.BatchSize, c.Padded = "transfer", 16, true
			k.edit(&c)
			m, err := newModelTask(c)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.outputs()
			own := must(t, a, err)
			mustAsk(t, plain, request{Do: "prepare", Case: &c})
			theirs := mustAsk(t, plain, request{Do: "outputs"}).Outputs
			for i, ids := range own.Outputs {
				if !slices.Equal(ids, theirs[i]) {
					t.Fatalf("sentence %d: %v, plain PyTorch has %v", i, ids, theirs[i])
				}
			}
			if slices.EqualFunc(own.Outputs, s.IDs, slices.Equal) {
				t.Error("nothing was rewritten")
			}
		})
	}
}
