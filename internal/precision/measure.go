package precision

import (
	"time"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Timing is what one step of a part took, the least of a few, in seconds.
type Timing struct {
	FP32 float64 `json:"fp32_seconds"`
	BF16 float64 `json:"bf16_seconds"`
}

// good tells whether a timing can have been measured.
func (t Timing) good() bool { return t.FP32 > 0 && t.BF16 > 0 && t.FP32 < 1e6 && t.BF16 < 1e6 }

func (t Timing) ratio() float64 { return t.BF16 / t.FP32 }

// least is the least of both times that either has.
func (t Timing) least(u Timing) Timing { return Timing{min(t.FP32, u.FP32), min(t.BF16, u.BF16)} }

// The two precisions take turns, and the least time of each counts, so that a busy neighbour
// decides nothing: a turn that it disturbed is not the least one.
const (
	fewest = 3                      // turns
	most   = 10                     //
	budget = 600 * time.Millisecond // after which the fewest will do
	clear  = 1.5                    // so much faster in each of two turns is faster, without a third
)

// A first turn on one sentence shows what is out of the question, such as bfloat16 by a loop over
// single numbers, in which a whole batch would take minutes.
const (
	outOfQuestion = 20
	noticed       = .1 // seconds; less may be a neighbour's doing
)

// Measure times steps of a part, forward and backward, on the CPU, and leaves the random numbers of
// torch as they were. Call it on the torch thread.
func Measure(p Part) (best Timing, err error) {
	err = torch.WithGrad(func() error {
		before := torch.RNGState()
		defer torch.SetRNGState(before)
		params := nn.NewParams()
		defer params.Free()
		step := training(p, params)
		one, err := turn(params, func(bf16 bool) { step(1, bf16) })
		if err != nil {
			return err
		}
		all := int64(max(1, p.Rows/sentence))
		if one.ratio() > outOfQuestion && one.BF16 > noticed {
			best = Timing{one.FP32 * float64(all), one.BF16 * float64(all)}
			return nil
		}
		best, err = turns(p.Layer != probeProduct, func() (Timing, error) {
			return turn(params, func(bf16 bool) { step(all, bf16) })
		})
		return err
	})
	return best, err
}

// turns takes turns, the first of which does not count, and returns the least times. short lets
// what is clear end it.
func turns(short bool, turn func() (Timing, error)) (best Timing, err error) {
	if _, err := turn(); err != nil {
		return best, err
	}
	began, low, high := time.Now(), 0, 0
	for made := 1; ; made++ {
		now, err := turn()
		if err != nil {
			return best, err
		}
		if best = best.least(now); made == 1 {
			best = now
		}
		switch r := now.ratio(); {
		case r > clear:
			high++
		case r < 1/clear:
			low++
		}
		one := made >= 2 && max(low, high) == made
		enough := made >= fewest && time.Since(began) > budget
		if made == most || short && (one || enough) {
			return best, nil
		}
	}
}

// turn times a step in either precision.
func turn(params *nn.Params, step func(bf16 bool)) (t Timing, err error) {
	for bf16, to := range map[bool]*float64{false: &t.FP32, true: &t.BF16} {
		if err := torch.Scoped(func() error {
			began := time.Now()
			step(bf16)
			torch.Synchronize()
			*to = time.Since(began).Seconds()
			torch.ZeroGrad(params.All())
			return nil
		}); err != nil {
			return t, err
		}
	}
	return t, nil
}

// training makes a part and returns a training step of it, on so many sentences and without the
// optimizer's.
func training(p Part, params *nn.Params) func(sentences int64, bf16 bool) {
	in, out := int64(p.In), int64(p.Out)
	if p.Layer == probeProduct {
		x, w := torch.Randn(int64(p.Rows), in), torch.Randn(in, out)
		lowX, lowW := x.To(torch.BFloat16), w.To(torch.BFloat16)
		return func(_ int64, bf16 bool) {
			if bf16 {
				lowX.MatMul(lowW)
				return
			}
			x.MatMul(w)
		}
	}
	// a parameter, so that its gradient is wanted as within a model
	x := params.Add("x", torch.Randn(int64(p.Rows/sentence), sentence, in))
	loss := lossOf(p, params)
	return func(sentences int64, bf16 bool) {
		var l *torch.Tensor
		torch.Autocast(bf16, func() { l = loss(x.Narrow(0, 0, sentences)) })
		l.Backward()
	}
}

// lossOf makes a part's layer and returns its forward pass over sentences [B, 12, in], to one
// number.
func lossOf(p Part, params *nn.Params) func(x *torch.Tensor) *torch.Tensor {
	if p.Layer == wordsLayer {
		return wordsLoss(p, params)
	}
	forward, width := forwardOf(p, params)
	// gradients of ordinary size: those of a mean would all but vanish behind a norm, and CPUs are
	// slow at denormal numbers
	gradient := torch.Randn(int64(p.Rows/sentence), sentence, int64(width))
	return func(x *torch.Tensor) *torch.Tensor {
		return forward(x).Mul(gradient.Narrow(0, 0, x.Size(0))).Sum()
	}
}

// forwardOf makes a layer and tells the width of what it returns.
func forwardOf(p Part, params *nn.Params) (forward func(x *torch.Tensor) *torch.Tensor, width int) {
	shape := recipe.SMLMShape{Dim: p.In, Heads: p.Heads, FF: p.Out} // of a Transformer's
	switch p.Layer {
	case encoderLayer:
		l := nn.NewEncoderLayer(params, p.Layer, shape, 0)
		return func(x *torch.Tensor) *torch.Tensor { return l.Forward(x, true) }, p.In
	case decoderLayer:
		l := nn.NewDecoderLayer(params, p.Layer, shape, 0)
		return func(x *torch.Tensor) *torch.Tensor { return l.Forward(x, x, true) }, p.In
	case lstmLayer, biLSTMLayer:
		l := nn.NewLSTM(params, p.Layer, p.In, p.Out, p.Layer == biLSTMLayer)
		return func(x *torch.Tensor) *torch.Tensor { states, _ := l.Forward(x); return states }, l.Out()
	default:
		l := nn.NewLinear(params, p.Layer, p.In, p.Out)
		return l.Forward, p.Out
	}
}

// wordsLoss makes a vocabulary layer and returns its cross-entropy.
func wordsLoss(p Part, params *nn.Params) func(x *torch.Tensor) *torch.Tensor {
	l := nn.NewLinear(params, p.Layer, p.In, p.Out)
	target := make([]int64, p.Rows)
	for i := range target {
		target[i] = int64(i % p.Out)
	}
	wanted := torch.FromInts(target, int64(p.Rows))
	return func(x *torch.Tensor) *torch.Tensor {
		n := x.Size(0) * sentence
		return torch.VocabLoss(x.Reshape(n, int64(p.In)), l.W, l.B, wanted.Narrow(0, 0, n), torch.ReduceMean)
	}
}
