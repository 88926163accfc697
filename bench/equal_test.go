package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// python returns the path of a Python with PyTorch. If there is no such Python, it skips the test.
func python(t *testing.T) string {
	t.Helper()
	if p := testkit.PyTorch(); p != "" {
		return p
	}
	t.Skip("needs a Python with PyTorch and safetensors: make bench makes one, or name one in BENCH_PYTHON")
	return ""
}

// pair holds our worker, which runs in this process, and plain PyTorch's.
type pair struct {
	ours   worker
	theirs *process
}

// TestSame checks with small models that our worker and plain PyTorch's compute the same losses and
// outputs from the same weights.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, plain); err != nil {
		t.Fatal(err)
	}
	program := python(t)
	t.Setenv("OMP_NUM_THREADS", "1")
	theirs, err := startProcess(t.Context(), "plain PyTorch", program, filepath.Join(dir, "plain", "worker.py"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(theirs.stop)
	p := &pair{theirs: theirs}
	t.Run("training", p.training)
	t.Run("padding", p.padding)
	t.Run("padding of the head", p.paddingOfHead)
	t.Run("transfer", p.transfer)
}

// small returns a case with a tiny model without dropout. It writes the files of the case: the
// sentences s and random initial weights. In plain PyTorch, all sentences are one batch.
func (p *pair) small(t *testing.T, model string, s corpus.Encoded) benchCase {
	t.Helper()
	c := tiny(paperSizes(model)).batched(1000, meanLength(s))
	c.Data, c.BatchSize = filepath.Join(t.TempDir(), "data.json"), len(s.IDs)
	c.SMLM.Dropout, c.DivLSTM.Dropout, c.Classifier.Dropout, c.LM.Dropout = 0, 0, 0, 0
	c.Reconstruct = min(c.Reconstruct, .7) // with 10, rounding would hide the style term
	if err := write(c.Data, s); err != nil {
		t.Fatal(err)
	}
	// Train with a learning rate of 0. This sets the language model's bias from word counts and
	// leaves all other weights as they were drawn.
	still := c
	still.LR = 0
	p.runOurs(t, still, 1)
	var err error
	if c.Weights, err = p.ours.save(filepath.Dir(c.Data)); err != nil {
		t.Fatal(err)
	}
	return c
}

// runOurs starts our worker from the weights of the case, runs n epochs or transfer passes, and
// returns the reply.
func (p *pair) runOurs(t *testing.T, c benchCase, n int) reply {
	t.Helper()
	if err := p.ours.prepare(c); err != nil {
		t.Fatal(err)
	}
	a, err := p.ours.run(n)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// runTheirs does the same as runOurs, with plain PyTorch's worker.
func (p *pair) runTheirs(t *testing.T, c benchCase, n int) reply {
	t.Helper()
	if _, err := p.theirs.ask(request{Do: "prepare", Case: &c}); err != nil {
		t.Fatal(err)
	}
	a, err := p.theirs.ask(request{Do: "run", N: n})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func near(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("losses %v, plain PyTorch has %v", got, want)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 2e-5*math.Abs(want[i]) {
			t.Errorf("losses %v, plain PyTorch has %v", got, want)
			return
		}
	}
}

// training compares the losses of the first training steps from the same weights, so forward pass,
// backward pass and update must agree. If Padded is set, plain PyTorch pads, masks and packs, which
// must not change the losses.
func (p *pair) training(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			c := p.small(t, model, synthetic(12, fixed(6), 200, 1))
			steps := 4
			if model == "smlm-ft" {
				// With the style term, only the first losses can agree. To train the head, plain
				// PyTorch runs the updated model again, but our worker reuses the states from
				// before the update.
				for _, c.Padded = range []bool{false, true} {
					near(t, p.runOurs(t, c, 1).Losses, p.runTheirs(t, c, 1).Losses)
				}
				c.Style = 0
			}
			for _, c.Padded = range []bool{false, true} {
				own := p.runOurs(t, c, steps).Losses
				near(t, own, p.runTheirs(t, c, steps).Losses)
				if own[0] == own[steps-1] {
					t.Errorf("the loss stays at %v: nothing was trained", own)
				}
			}
		})
	}
}

// padding checks that padding does not change a loss: plain PyTorch computes the loss on one padded
// batch, our worker on batches in which all sentences have the same length.
func (p *pair) padding(t *testing.T) {
	for _, model := range models {
		if model == "smlm-ft" {
			continue // the evaluation of smlm-ft leaves out the head; see paddingOfHead
		}
		t.Run(model, func(t *testing.T) {
			c := p.small(t, model, synthetic(30, reviews, 200, 2))
			c.Padded = true
			theirs := p.runTheirs(t, c, 1).Losses
			if err := p.ours.prepare(c); err != nil {
				t.Fatal(err)
			}
			var own []float64
			err := torch.Run(func() error {
				v, err := p.ours.model.evaluate(context.Background())
				own = []float64{v.Loss}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			near(t, own, theirs)
		})
	}
}

// paddingOfHead makes the same check as the method padding, for the part of the fine-tuning loss
// that the head contributes. This part is a mean over sentences. Plain PyTorch computes it on one
// padded batch with sentences of two lengths, our worker on one batch for each length.
func (p *pair) paddingOfHead(t *testing.T) {
	short, long := synthetic(6, fixed(3), 200, 3), synthetic(10, fixed(8), 200, 4)
	c := p.small(t, "smlm-ft", corpus.Encoded{
		IDs: slices.Concat(short.IDs, long.IDs), Styles: slices.Concat(short.Styles, long.Styles),
		Targets: slices.Concat(short.Targets, long.Targets), Masks: slices.Concat(short.Masks, long.Masks),
	})
	c.Reconstruct, c.Padded = 0, true
	theirs := p.runTheirs(t, c, 1).Losses
	sum := 0.0
	for _, s := range []corpus.Encoded{short, long} {
		if err := write(c.Data, s); err != nil {
			t.Fatal(err)
		}
		sum += p.runOurs(t, c, 1).Losses[0] * float64(len(s.IDs))
	}
	near(t, []float64{sum / 16}, theirs)
}

// transfer checks that our worker and plain PyTorch's write the same words.
func (p *pair) transfer(t *testing.T) {
	s := synthetic(100, reviews, 200, 5)
	for _, k := range []struct {
		model string
		copy  bool
	}{{"smlm", true}, {"smlm", false}, {"smlm-g", false}} {
		c := p.small(t, k.model, s)
		c.Task, c.BatchSize, c.Padded, c.Copy = "transfer", 16, true, k.copy
		own, theirs := p.runOurs(t, c, 1).Outputs, p.runTheirs(t, c, 1).Outputs
		if !slices.EqualFunc(own, theirs, slices.Equal) {
			t.Errorf("%+v: %v, plain PyTorch has %v", k, own, theirs)
		}
		if slices.EqualFunc(own, s.IDs, slices.Equal) {
			t.Errorf("%+v: nothing was rewritten", k)
		}
	}
}
