package doctor

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// trial is what a device did with small networks and with matrix products.
type trial struct {
	lstm, transformer step
	fp32, bf16        float64 // GFLOP/s
	noBF16            string  // why there is no bfloat16 product
}

// step is one training step.
type step struct {
	norm float64 // of the gradient
	took time.Duration
}

// tryOut trains both networks one step on the current device and measures its products.
func tryOut(onCPU bool) (t trial, err error) {
	if t.lstm, err = tryNet(func(p *nn.Params) net {
		l := nn.NewLSTM(p, "lstm", 8, 16, true)
		return func(x *torch.Tensor) *torch.Tensor { states, _ := l.Forward(x); return states }
	}); err != nil {
		return t, fmt.Errorf("LSTM: %w", err)
	}
	if t.transformer, err = tryNet(func(p *nn.Params) net {
		l := nn.NewEncoderLayer(p, "layer", recipe.SMLMShape{Dim: 8, Heads: 2, FF: 16}, 0)
		return func(x *torch.Tensor) *torch.Tensor { return l.Forward(x, true) }
	}); err != nil {
		return t, fmt.Errorf("transformer: %w", err)
	}
	m, k, n := int64(4096), int64(4096), int64(4096)
	if onCPU { // of the size of a feed-forward layer
		m, k, n = 1536, 512, 2048
	}
	if t.fp32, err = rate(m, k, n, torch.Float); err != nil {
		return t, err
	}
	if t.noBF16 = torch.WhyNoBF16(); t.noBF16 != "" {
		return t, nil
	}
	// by few rows first: without instructions for it, all of them would take half a minute
	if t.bf16, err = rate(64, k, n, torch.BFloat16); err == nil && t.bf16 > t.fp32/10 {
		t.bf16, err = rate(m, k, n, torch.BFloat16)
	}
	return t, err
}

type net func(x *torch.Tensor) *torch.Tensor

// tryNet makes a network, always of the same weights, and trains it twice, the first time to warm
// up.
func tryNet(build func(*nn.Params) net) (s step, err error) {
	for range 2 {
		err = torch.Scoped(func() error {
			torch.Seed(1)
			p := nn.NewParams()
			defer p.Free()
			forward := build(p)
			x := torch.Randn(4, 6, 8)
			opt := nn.NewAdam(p, recipe.Training{LR: 1e-3, Beta1: 0.9, Beta2: 0.999})
			defer opt.Free()
			torch.Synchronize()
			began := time.Now()
			y := forward(x)
			y = y.Sub(torch.Randn(y.Size(-1)))
			y.Mul(y).Mean().Backward()
			var err error
			s.norm, err = opt.Step(1)
			torch.Synchronize()
			s.took = time.Since(began)
			if err == nil && (s.norm == 0 || p.FirstBad() != "") {
				err = fmt.Errorf("its gradient has norm %v, and the parameters after a step are finite: %v",
					s.norm, p.FirstBad() == "")
			}
			return err
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// agrees refuses gradients that are not the CPU's, up to rounding: weights and input are the same
// everywhere.
func (t trial) agrees(cpu trial) error {
	for _, pair := range [][2]float64{{t.lstm.norm, cpu.lstm.norm}, {t.transformer.norm, cpu.transformer.norm}} {
		if !(math.Abs(pair[0]-pair[1]) <= 1e-3*pair[1]) {
			return fmt.Errorf("a gradient has norm %.6f, but %.6f on the CPU", pair[0], pair[1])
		}
	}
	return nil
}

// enough is how long a product takes that is made but once.
const enough = 200 * time.Millisecond

// rate is the median speed of five products [m, k] x [k, n], in GFLOP/s.
func rate(m, k, n int64, dtype torch.DType) (gflops float64, err error) {
	err = torch.NoGrad(func() error {
		a, b := torch.Randn(m, k).To(dtype), torch.Randn(k, n).To(dtype)
		product := func() time.Duration {
			began := time.Now()
			c := a.MatMul(b)
			torch.Synchronize()
			took := time.Since(began)
			c.Free()
			return took
		}
		flops := 2 * float64(m) * float64(k) * float64(n)
		if first := product(); first > enough {
			gflops = flops / first.Seconds() / 1e9
			return nil
		}
		times := make([]time.Duration, 5)
		for i := range times {
			times[i] = product()
		}
		slices.Sort(times)
		gflops = flops / times[len(times)/2].Seconds() / 1e9
		return nil
	})
	return gflops, err
}
