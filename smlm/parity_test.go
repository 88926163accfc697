package smlm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// The sizes used in testdata/parity/make.py.
var (
	small  = asPrinted(Config{Vocab: 23, SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 3, Dim: 12, FF: 20}})
	paper  = controlCodes{SourceToken: true}
	sixths = parity.All
	ten    = parity.Ten
)

func recorded(r *testkit.Recorded) corpus.Encoded {
	d := parity.Sentences(r)
	for _, row := range r.Rows("input.mask") {
		mask := make([]bool, len(row))
		for k, on := range row {
			mask[k] = on == 1
		}
		d.Masks = append(d.Masks, mask)
	}
	d.Targets = others(d.Styles)
	return d
}

// unseenBias tells whether a weight is part of a bias of attention keys. Such a bias may differ
// from PyTorch's: it shifts all scores of a query equally, and softmax removes the shift. Its
// gradient is only rounding noise, which Adam enlarges to steps of any size.
func unseenBias(name string, t *torch.Tensor, i int) bool {
	return strings.HasSuffix(name, "in_proj_bias") && i/(int(t.Size(0))/3) == 1
}

// TestParity compares the SMLM with the same model in PyTorch: states, logits, fills, gradients and
// ten training steps with each objective.
func TestParity(t *testing.T) {
	for file, c := range map[string]struct {
		Config
		Objective
	}{
		"smlm_all":    {small, Objective{}},
		"smlm_masked": {small, Objective{Loss: recipe.Masked}},
	} {
		t.Run(file, func(t *testing.T) {
			r := testkit.OpenRecorded(t, file)
			d, f := recorded(r), c.codes()
			parity.OnTorch(t, func() error {
				m := New(c.Config)
				defer m.Params.Free()
				if err := m.Params.Load(r.Path); err != nil {
					return err
				}
				r.Near("expect.states", m.States(f.inputs(d, sixths, d.Styles), true).Floats())
				r.Near("expect.logits", m.out.Forward(m.States(f.inputs(d, sixths, d.Targets), true)).Floats())
				if err := fillsParity(r, m, d); err != nil {
					return err
				}
				loss := m.lossOfAll(
					m.enc.forward(f.inputs(d, sixths, d.Styles), true), f.targets(d, sixths, c.Objective),
				)
				loss.Backward()
				parity.Grads(r, m.Params)
				h, err := m.Train(context.Background(), d, d, c.Objective, VariedMasks{}, ten)
				if err != nil {
					return err
				}
				parity.Losses(r, "loss.total", h)
				parity.Weights(r, m.Params, unseenBias)
				return nil
			})
		})
	}
}

// fillsParity compares fills with PyTorch's logits.
func fillsParity(r *testkit.Recorded, m *Model, d corpus.Encoded) error {
	fills, err := fillsOf(m, d)
	if err != nil {
		return err
	}
	n, vocab := len(d.IDs[0]), m.Config.Vocab
	asked := slices.Collect(slices.Chunk(r.Floats("expect.logits"), vocab))
	for i, of := range fills {
		if err := compareFills(d.Masks[i], of, asked[i*n:(i+1)*n], testkit.Tolerance); err != nil {
			return fmt.Errorf("sentence %d: %w", i, err)
		}
	}
	return nil
}

// TestFinetuneParity compares SMLM-FT with the same model in PyTorch: the losses of generator and
// discriminator at every step, and their weights after ten steps. The gradient of the model is
// clipped to a norm of 1e-3.
func TestFinetuneParity(t *testing.T) {
	loss := FinetuneLoss{
		Finetune: recipe.Finetune{LambdaSta: 1, LambdaRec: .5}, Objective: Objective{Loss: recipe.Masked},
	}
	r := testkit.OpenRecorded(t, "smlm_ft")
	d := recorded(r)
	parity.OnTorch(t, func() error {
		m, head := New(small), NewHead(small.Dim, 2)
		defer m.Params.Free()
		defer head.Params.Free()
		for _, p := range []*nn.Params{m.Params, head.Params} {
			if err := p.Load(r.Path); err != nil {
				return err
			}
		}
		// Compute the first step here as well, because Finetune does not return all of its values.
		turned := m.enc.forward(small.codes().inputs(d, sixths, d.Targets), true)
		pooled := small.codes().words(turned)
		r.Near("expect.style_logits", head.Logits(pooled).Floats())
		generator, discriminator := m.adversarialLosses(head, m.adversarialBatch(d, sixths, loss), true)
		generator.Add(discriminator).Backward()
		parity.Grads(r, m.Params)
		ofHead := []float32{float32(discriminator.Item())}
		parity.Grads(r, head.Params)

		recipe := ten
		recipe.Clip = 1e-3
		// After every step, record the loss of the head with its new weights. The next step starts
		// from this loss.
		recipe.Progress = func(int, int, string) {
			_, discriminator := m.adversarialLosses(head, m.adversarialBatch(d, sixths, loss), false)
			ofHead = append(ofHead, float32(discriminator.Item()))
		}
		h, err := m.Finetune(context.Background(), head, d, d, loss, recipe)
		if err != nil {
			return err
		}
		parity.Losses(r, "loss.total", h)
		r.Near("loss.head", ofHead[:10])
		parity.Weights(r, m.Params, unseenBias)
		parity.Weights(r, head.Params, unseenBias)
		return nil
	})
}

// TestGeneratorParity compares SMLM-G with the same model in PyTorch: logits with teacher forcing,
// gradients and ten training steps.
func TestGeneratorParity(t *testing.T) {
	r := testkit.OpenRecorded(t, "smlm_g")
	d := recorded(r)
	parity.OnTorch(t, func() error {
		g := NewGenerator(decoding(small, 1))
		defer g.Params.Free()
		if err := g.Params.Load(r.Path); err != nil {
			return err
		}
		in, _ := shifted(d, sixths)
		r.Near(
			"expect.logits",
			g.out.Forward(g.decode(in.Tensor(), g.enc.forward(paper.inputs(d, sixths, d.Styles), true), true)).Floats(),
		)
		g.prepare(d, sixths)(true).Backward()
		parity.Grads(r, g.Params)
		h, err := g.Train(context.Background(), d, d, ten)
		if err != nil {
			return err
		}
		parity.Losses(r, "loss.total", h)
		parity.Weights(r, g.Params, unseenBias)
		return nil
	})
}
