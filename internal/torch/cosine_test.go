package torch

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	lib "github.com/sugarme/gotch/libtch"
	"pgregory.net/rapid"
)

// plainCosine is libtorch's cosine of the angles between a and b along dim.
func plainCosine(a, b *Tensor, dim int64) *Tensor {
	return binary("cosine", func(o *handle, x, y handle) { lib.AtgCosineSimilarity(o, x, y, dim, 1e-8) }, a, b)
}

// TestMeanCosine compares cosines and gradients with libtorch's in double precision; vectors may be
// zero or all the same. They are not of so few numbers that one is short, whose gradient is a
// difference of large numbers.
func TestMeanCosine(t *testing.T) { onAndOff(t, meanCosine, "conicity") }

func meanCosine(t *testing.T) {
	t.Helper()
	onTorch(t, func() error {
		defer SetRNGState(RNGState()) // what other tests draw does not hang on this one
		rapid.Check(t, func(r *rapid.T) {
			Seed(rapid.Uint64().Draw(r, "seed"))
			size := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(r, name) }
			dim := rapid.Int64Range(0, 1).Draw(r, "dim")
			err := Scoped(func() error {
				x := Randn(size("batch", 9), size("time", 9), 7+size("n", 80))
				weight := Randn(x.Size(0), x.Size(1))
				switch rapid.IntRange(0, 3).Draw(r, "kind") {
				case 1:
					x = x.Transpose(0, 1)
					weight = weight.Transpose(0, 1)
				case 2:
					x = x.Scale(0)
				case 3:
					x = x.Narrow(1, 0, 1).Expand(x.Shape()...)
				}
				run := func(x *Tensor, cosines func(x *Tensor) *Tensor) [][]float32 {
					leaf := x.Leaf()
					c := cosines(leaf)
					return [][]float32{
						c.To(Float).Floats(), Grads([]*Tensor{c.Mul(weight)}, []*Tensor{leaf})[0].To(Float).Floats(),
					}
				}
				got := run(x, func(x *Tensor) *Tensor { return MeanCosine(x, dim) })
				want := run(x.To(Double), func(x *Tensor) *Tensor { return plainCosine(x, x.MeanDim(dim, true), 2) })
				// A cosine takes the mean of a group, two lengths and a product, its gradient as
				// many again.
				chain := testkit.Chain(3, int(x.Size(2)))
				if off := furthest(got[:1], want[:1], 1); off > testkit.RoundingBound(append(chain, 9)...) {
					r.Fatalf("cosines differ by %.2g", off)
				}
				bound := testkit.RoundingBound(testkit.Chain(2, append(chain, 9)...)...)
				if off := furthest(got[1:], want[1:], 1); off > bound {
					r.Fatalf("gradients differ by %.2g of the largest", off)
				}
				return nil
			})
			if err != nil {
				r.Fatal(err)
			}
		})
		return nil
	})
}
