package precision

import (
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

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
	switch p.Layer {
	case encoderLayer:
		l := nn.NewEncoderLayer(params, p.Layer, p.In, p.Heads, p.Out, 0)
		return func(x *torch.Tensor) *torch.Tensor { return l.Forward(x, true) }, p.In
	case decoderLayer:
		l := nn.NewDecoderLayer(params, p.Layer, p.In, p.Heads, p.Out, 0)
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
