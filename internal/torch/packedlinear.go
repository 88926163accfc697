package torch

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Packing says how weights are prepared for repeated products outside training.
type Packing struct {
	// Rows is roughly the number of rows in the inputs of these products. If it is not 0, the
	// weights are reordered for oneDNN, which makes many products with few rows faster.
	Rows int64
	BF16 bool // set if products are in bfloat16; Forward still returns float32
}

// Packed is a linear layer y = x w^T + b that is prepared for products without gradients. If w or b
// change later, the layer may or may not see the change.
type Packed struct {
	w, b   *Tensor
	packed bool
}

// Pack prepares the layer with w [out, in] and b [out]. The result is freed when the torch scope
// that is open now ends.
func Pack(w, b *Tensor, packing Packing) *Packed {
	if packing.BF16 {
		w, b = w.To(BFloat16), b.To(BFloat16)
	}
	p := &Packed{w: w.Detach(), b: b.Detach()}
	if packing.Rows == 0 {
		return p
	}
	packed, err := kernels.Pack(p.w.raw("pack"), packing.Rows)
	mustKernel("pack", err, w)
	if packed != nil {
		p.w.Free()
		p.w, p.packed = adopt(handle(packed)), true
	}
	return p
}

// Forward maps x [N, in] to [N, out].
func (p *Packed) Forward(x *Tensor) *Tensor { return p.product(x, false) }

// ForwardRelu returns max(Forward(x), 0) in the element type of the weights.
func (p *Packed) ForwardRelu(x *Tensor) *Tensor { return p.product(x, true) }

func (p *Packed) product(x *Tensor, relu bool) *Tensor {
	const op = "packed product"
	y, err := kernels.PackedProduct(x.raw(op), p.w.raw(op), p.b.raw(op), p.packed, relu)
	return result(op, y, err, x)
}

// Likeliest computes the logits of x [N, in] and returns N rows of 2k+1 numbers. In rows 0 to
// open-1, the first k numbers are the k largest values among the words whose index is at least
// first, in descending order. The next k numbers are the indices of these words. In every row i,
// the last number is the value of word want[i]. Values are logits or, if normalise is set,
// log-probabilities. The logits of all rows are never in memory at once. Likeliest fails if a value
// is not a number.
func (p *Packed) Likeliest(x *Tensor, want []int64, open, first, k int64, normalise bool) [][]float32 {
	if len(want) == 0 {
		return nil
	}
	const op = "likeliest"
	out, err := kernels.Likeliest(x.raw(op), p.w.raw(op), p.b.raw(op), p.packed, want, open, first, k, normalise)
	flat := result(op, out, err, x).Floats()
	rows := make([][]float32, len(want))
	for i := range rows {
		row := flat[i*int(2*k+1) : (i+1)*int(2*k+1)]
		if int64(i) < open && !finite(row[0]) || math.IsNaN(float64(row[2*k])) {
			panic(&OpError{Text: wording.NoNumbers("the model's logits")})
		}
		rows[i] = row
	}
	return rows
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
