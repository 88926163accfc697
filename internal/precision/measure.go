package precision

import (
	"time"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Timing is what one step of a part took, the least of a few, in seconds.
type Timing struct {
	FP32 float64 `json:"fp32_seconds"`
	BF16 float64 `json:"bf16_seconds"`
}

// good tells whether a timing can have been measured.
func (t Timing) good() bool { return t.FP32 > 0 && t.BF16 > 0 && t.FP32 < 1e6 && t.BF16 < 1e6 }

// The two precisions take turns, so that a busy neighbour slows both; the first turn of each is not
// counted. Where one is this much faster there is nothing left to find out.
const (
	turns = 3
	clear = 1.5
)

// Measure times steps of a part, forward and backward, on the CPU, and leaves the random numbers of
// torch as they were. Call it on the torch thread.
func Measure(p Part) (best Timing, err error) {
	err = torch.WithGrad(func() error {
		before := torch.RNGState()
		defer torch.SetRNGState(before)
		params := nn.NewParams()
		defer params.Free()
		step := steps(p, params)
		for turn := range 1 + turns {
			now := Timing{}
			for _, s := range []struct {
				to   *float64
				bf16 bool
			}{{&now.FP32, false}, {&now.BF16, true}} {
				if *s.to, err = timed(params, s.bf16, step); err != nil {
					return err
				}
			}
			switch {
			case turn == 0:
				continue
			case turn == 1:
				best = now
			default:
				best = Timing{min(best.FP32, now.FP32), min(best.BF16, now.BF16)}
			}
			if ratio := best.BF16 / best.FP32; ratio > clear || ratio < 1/clear {
				return nil
			}
		}
		return nil
	})
	return best, err
}

// timed returns the seconds of one step.
func timed(params *nn.Params, bf16 bool, step func(bf16 bool)) (seconds float64, err error) {
	err = torch.Scoped(func() error {
		began := time.Now()
		step(bf16)
		torch.Synchronize()
		seconds = time.Since(began).Seconds()
		torch.ZeroGrad(params.All())
		return nil
	})
	return seconds, err
}

// steps makes a part and returns a training step of it, without the optimizer's.
func steps(p Part, params *nn.Params) func(bf16 bool) {
	sentences, in := int64(p.Rows/sentence), int64(p.In)
	if p.Layer == probeProduct {
		x, w := torch.Randn(int64(p.Rows), in), torch.Randn(int64(p.Out), in)
		low := [2]*torch.Tensor{x.To(torch.BFloat16), w.To(torch.BFloat16)}
		return func(bf16 bool) {
			if bf16 {
				x, w := low[0], low[1]
				torch.Product(x, w, false)
				return
			}
			torch.Product(x, w, false)
		}
	}
	// a parameter, so that its gradient is wanted as within a model
	x := params.Add("x", torch.Randn(sentences, sentence, in))
	layer := layer(p, params, x)
	return func(bf16 bool) {
		var loss *torch.Tensor
		torch.Autocast(bf16, func() { loss = layer() })
		loss.Backward()
	}
}

// layer makes a part's layer and returns its forward pass, to one number. Gradients of any size come
// in: those of a mean would all but vanish behind a norm, and CPUs are slow at denormal numbers.
func layer(p Part, params *nn.Params, x *torch.Tensor) func() *torch.Tensor {
	var forward func() *torch.Tensor
	width := p.In
	switch p.Layer {
	case wordsLayer:
		l := nn.NewLinear(params, p.Layer, p.In, p.Out)
		target := make([]int64, p.Rows)
		for i := range target {
			target[i] = int64(i % p.Out)
		}
		wanted := torch.FromInts(target, int64(p.Rows))
		return func() *torch.Tensor {
			return torch.VocabLoss(x.Reshape(-1, int64(p.In)), l.W, l.B, wanted, torch.ReduceMean)
		}
	case encoderLayer:
		l := nn.NewEncoderLayer(params, p.Layer, p.In, p.Heads, p.Out, 0)
		forward = func() *torch.Tensor { return l.Forward(x, true) }
	case decoderLayer:
		l := nn.NewDecoderLayer(params, p.Layer, p.In, p.Heads, p.Out, 0)
		forward = func() *torch.Tensor { return l.Forward(x, x, true) }
	case lstmLayer, biLSTMLayer:
		l := nn.NewLSTM(params, p.Layer, p.In, p.Out, p.Layer == biLSTMLayer)
		width = l.Out()
		forward = func() *torch.Tensor { states, _ := l.Forward(x); return states }
	default:
		l := nn.NewLinear(params, p.Layer, p.In, p.Out)
		width = p.Out
		forward = func() *torch.Tensor { return l.Forward(x) }
	}
	gradient := torch.Randn(x.Size(0), sentence, int64(width))
	return func() *torch.Tensor { return forward().Mul(gradient).Sum() }
}
