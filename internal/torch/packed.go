package torch

// #include "decode.h"
import "C"

// Packing says how weights are laid out for products that are made again and again, outside of training.
type Packing struct {
	// Rows is about how many rows such a product has: oneDNN then gets the weights in the order in which it reads them, which pays where
	// rows are few and products many. 0 leaves the weights as they are.
	Rows int64
	BF16 bool // products in bfloat16; what comes out is float32
}

// Packed is a linear layer y = x w^T + b ready for products. Changes of w and b after that may or may not be seen; it is of use only
// without gradients.
type Packed struct {
	w, b   *Tensor
	packed bool
}

// Pack returns the layer of w [out, in] and b [out], owned by the innermost scope.
func Pack(w, b *Tensor, how Packing) *Packed {
	if how.BF16 {
		w, b = w.To(BFloat16), b.To(BFloat16)
	}
	p := &Packed{w: w.Detach(), b: b.Detach()}
	if how.Rows == 0 {
		return p
	}
	var out handle
	must("pack", C.decode_pack(hp(&out), C.handle(p.w.ptr("pack")), C.int64_t(how.Rows)), w)
	if out != nil {
		p.w.Free()
		p.w, p.packed = adopt(out), true
	}
	return p
}

// Forward maps x [N, in] to [N, out].
func (p *Packed) Forward(x *Tensor) *Tensor { return p.product(x, false) }

// ForwardRelu returns max(Forward(x), 0).
func (p *Packed) ForwardRelu(x *Tensor) *Tensor { return p.product(x, true) }

func (p *Packed) product(x *Tensor, relu bool) *Tensor {
	var out handle
	must("packed product", C.decode_product(hp(&out), C.handle(x.ptr("packed product")), C.handle(p.w.ptr("packed product")),
		C.handle(p.b.ptr("packed product")), C.int(flag(p.packed)), C.int(flag(relu))), x)
	return adopt(out)
}

// Likeliest returns what a search wants to know of the logits of x [N, in], [N][2k+1]: for each of the first open rows the k largest
// values from word first on, largest first, then those k words; last, for every row, the value at its word of want. Values are logits
// or, with normalise, log p, in float32. The logits of all rows are never there at once.
func (p *Packed) Likeliest(x *Tensor, want []int64, open, first, k int64, normalise bool) [][]float32 {
	return p.likeliest(x, want, open, first, k, normalise, false)
}

// likeliest with plain does it by libtorch's own operations, as on a device that is not a CPU.
func (p *Packed) likeliest(x *Tensor, want []int64, open, first, k int64, normalise, plain bool) [][]float32 {
	if len(want) == 0 {
		return nil
	}
	var out handle
	must("likeliest", C.decode_likeliest(hp(&out), C.handle(x.ptr("likeliest")), C.handle(p.w.ptr("likeliest")),
		C.handle(p.b.ptr("likeliest")), C.int(flag(p.packed)), (*C.int64_t)(&want[0]), C.int64_t(len(want)), C.int64_t(open),
		C.int64_t(first), C.int64_t(k), C.int(flag(normalise)), C.int(flag(plain))), x)
	flat := adopt(out).Floats()
	rows := make([][]float32, len(want))
	for i := range rows {
		rows[i] = flat[i*int(2*k+1) : (i+1)*int(2*k+1)]
	}
	return rows
}
