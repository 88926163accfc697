package torch

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// Packing specifies how weights are packed for repeated products outside training.
type Packing struct {
	// Rows is the approximate number of rows in the input of such a product. If it is not 0, the
	// weights are reordered for oneDNN. This pays for few rows and many products.
	Rows int64
	BF16 bool // set if products are in bfloat16; Forward still returns float32
}

// Packed is a linear layer y = x w^T + b prepared for products without gradients. Later changes of
// w and b may or may not have an effect.
type Packed struct {
	w, b   *Tensor
	packed bool
}

// Pack returns the layer of w [out, in] and b [out], owned by the innermost scope.
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

// ForwardRelu returns max(Forward(x), 0), in the type of the weights.
func (p *Packed) ForwardRelu(x *Tensor) *Tensor { return p.product(x, true) }

func (p *Packed) product(x *Tensor, relu bool) *Tensor {
	const op = "packed product"
	y, err := kernels.PackedProduct(x.raw(op), p.w.raw(op), p.b.raw(op), p.packed, relu)
	return result(op, y, err, x)
}

// Likeliest computes the logits of x [N, in] and returns N rows of 2k+1 numbers. Each of rows 0 to
// open-1 has the k largest values among the words from first on, in descending order, and then
// those k words. The last number of every row is the value of its word in want. Values are logits
// or, if normalise is set, log p, in float32. The logits of all rows never exist at once. Likeliest
// fails if a value is not a number.
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
			panic(&OpError{Text: noNumbers})
		}
		rows[i] = row
	}
	return rows
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
