package smlm

import (
	"context"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/testdata"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// The sizes of testdata/parity/make.py.
var (
	small  = Config{Vocab: 23, Layers: 2, Heads: 3, Dim: 12, FF: 20}
	sixths = []int{0, 1, 2, 3, 4, 5}
	ten    = nn.Recipe{Epochs: 10, KeepLast: true, LR: 1e-3, Beta1: .5, Beta2: .999, BatchTokens: 100}
)

func recorded(r *testdata.Recorded) Data {
	d := Data{IDs: r.Rows("input.ids"), Styles: r.Styles()}
	for _, row := range r.Rows("input.mask") {
		mask := make([]bool, len(row))
		for k, on := range row {
			mask[k] = on == 1
		}
		d.Masks = append(d.Masks, mask)
	}
	return d
}

// sameGrads compares the gradients that a Backward left, and drops them.
func sameGrads(r *testdata.Recorded, p *nn.Params) {
	for i, t := range p.All() {
		r.Near("grad."+p.Names()[i], t.Grad().Floats())
	}
	torch.ZeroGrad(p.All())
}

// sameWeights compares the weights after ten steps. A bias of the attention's keys shifts all scores of a query alike, which
// softmax does not see: its gradient is rounding noise, which Adam blows up to steps of any size, in PyTorch as here.
func sameWeights(r *testdata.Recorded, p *nn.Params) {
	for i, t := range p.All() {
		name := p.Names()[i]
		d := int(t.Size(0)) / 3
		r.Near("final."+name, t.Floats(), func(i int) bool { return strings.HasSuffix(name, "in_proj_bias") && i/d == 1 })
	}
}

func losses(h *nn.History) []float32 {
	var out []float32
	for _, e := range h.Epochs { // one batch an epoch
		out = append(out, float32(e.TrainLoss))
	}
	return out
}

// TestParity compares the SMLM with PyTorch's: states, logits, gradients and ten steps of both objectives.
func TestParity(t *testing.T) {
	for file, o := range map[string]Objective{"smlm_all": {}, "smlm_masked": {MaskedOnly: true}} {
		t.Run(file, func(t *testing.T) {
			r := testdata.OpenRecorded(t, file)
			d := recorded(r)
			onTorch(t, func() error {
				m := New(small)
				defer m.Params.Free()
				if err := m.Params.Load(r.Path); err != nil {
					return err
				}
				states := m.States(d.inputs(sixths, same), true)
				r.Near("expect.states", states.Floats())
				every, _ := d.targets(sixths, false)
				r.Near("expect.logits", m.Logits(m.States(d.inputs(sixths, other), true), ints(every)).Floats())
				m.reconstruction(states, d, sixths, o).Backward()
				sameGrads(r, m.Params)
				h, err := m.Train(context.Background(), d, d, o, ten)
				if err != nil {
					return err
				}
				r.Near("loss.total", losses(h))
				sameWeights(r, m.Params)
				return nil
			})
		})
	}
}

// TestFinetuneParity compares SMLM-FT with PyTorch's: both players' losses at every step and their weights after ten, with the
// model's gradient clipped to a norm of 1e-3.
func TestFinetuneParity(t *testing.T) {
	r := testdata.OpenRecorded(t, "smlm_ft")
	d := recorded(r)
	loss := FinetuneLoss{Style: 1, Reconstruct: .5, Objective: Objective{MaskedOnly: true}}
	onTorch(t, func() error {
		m, head := New(small), NewHead(small.Dim)
		defer m.Params.Free()
		defer head.Params.Free()
		for _, p := range []*nn.Params{m.Params, head.Params} {
			if err := p.Load(r.Path); err != nil {
				return err
			}
		}
		// The first step by hand, for what Finetune does not return.
		styled := head.Logits(m.States(d.inputs(sixths, other), true))
		r.Near("expect.style_logits", styled.Floats())
		own := m.States(d.inputs(sixths, same), true)
		total := torch.CrossEntropy(styled, d.styles(sixths, other), torch.ReduceMean).Scale(loss.Style).
			Add(m.reconstruction(own, d, sixths, loss.Objective).Scale(loss.Reconstruct))
		total.Backward()
		sameGrads(r, m.Params)
		torch.ZeroGrad(head.Params.All())
		cls := headLoss(m, head, d)
		judged := []float32{float32(cls.Item())}
		cls.Backward()
		sameGrads(r, head.Params)
		torch.ZeroGrad(m.Params.All()) // headLoss does not detach

		recipe := ten
		recipe.Clip = 1e-3
		recipe.Progress = func(int, int, string) { // after every step: the head's loss before the next one
			judged = append(judged, float32(headLoss(m, head, d).Item()))
		}
		h, err := m.Finetune(context.Background(), head, d, d, loss, recipe)
		if err != nil {
			return err
		}
		r.Near("loss.total", losses(h))
		r.Near("loss.head", judged[:10])
		sameWeights(r, m.Params)
		sameWeights(r, head.Params)
		return nil
	})
}

// headLoss is L_cls: how well the head tells the styles of same-style reconstructions.
func headLoss(m *Model, head *Head, d Data) *torch.Tensor {
	return torch.CrossEntropy(head.Logits(m.States(d.inputs(sixths, same), false)), d.styles(sixths, same), torch.ReduceMean)
}

// TestGeneratorParity compares SMLM-G with PyTorch's: logits by teacher forcing, gradients and ten steps.
func TestGeneratorParity(t *testing.T) {
	r := testdata.OpenRecorded(t, "smlm_g")
	d := recorded(r)
	onTorch(t, func() error {
		g := NewGenerator(small, 1)
		defer g.Params.Free()
		if err := g.Params.Load(r.Path); err != nil {
			return err
		}
		in, _ := d.shifted(sixths)
		r.Near("expect.logits", g.out.Forward(g.decode(in, g.enc.forward(d.inputs(sixths, same), true), true)).Floats())
		g.loss(d, sixths, true).Backward()
		sameGrads(r, g.Params)
		h, err := g.Train(context.Background(), d, d, ten)
		if err != nil {
			return err
		}
		r.Near("loss.total", losses(h))
		sameWeights(r, g.Params)
		return nil
	})
}

// onTorch runs fn on the torch thread with one thread an operation.
func onTorch(t *testing.T, fn func() error) {
	t.Helper()
	err := torch.Run(func() error {
		torch.SetThreads(1)
		torch.Seed(1)
		return fn()
	})
	if err != nil {
		t.Fatal(err)
	}
}
