package torch

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	lib "github.com/sugarme/gotch/libtch"
	"pgregory.net/rapid"
)

// fusedCase is a fused operation and the same computation composed of libtorch's operations.
type fusedCase struct {
	fused, plain func(in []*Tensor) *Tensor
	shapes       [][]int64 // shapes of the inputs; all inputs have gradients
}

// plainNorm returns libtorch's layer norm.
func plainNorm(x, w, b *Tensor) *Tensor {
	var out handle
	lib.AtgLayerNorm(&out, x.h, w.Shape(), 1, w.h, b.h, 1e-5, 0)
	check("layer norm", x, w, b)
	return adopt(out)
}

// plainAttention returns softmax(q k^T / sqrt(d)) v for queries [B, T, d] and for keys and values
// [B, S, d].
func plainAttention(q, k, v *Tensor, heads int64, causal bool) *Tensor {
	b, t, s, d := q.Size(0), q.Size(1), k.Size(1), q.Size(2)
	split := func(x *Tensor, n int64) *Tensor { return x.Reshape(b, n, heads, d/heads).Transpose(1, 2) }
	scores := split(q, t).MatMul(split(k, s).Transpose(2, 3)).Scale(1 / math.Sqrt(float64(d/heads)))
	if causal {
		hide := make([]float32, t*s)
		for i := range t {
			for j := i + 1; j < s; j++ {
				hide[i*s+j] = -1e9
			}
		}
		scores = scores.Add(FromFloats(hide, t, s))
	}
	return scores.Softmax(3).MatMul(split(v, s)).Transpose(1, 2).Reshape(b, t, d)
}

func fusedCases(b, t, s, d, heads, v int64, targets *Tensor) map[string]fusedCase {
	wide := min(v, 300)
	self := func(causal bool) fusedCase {
		return fusedCase{
			func(in []*Tensor) *Tensor { return SelfAttention(in[0], heads, causal, 0) },
			func(in []*Tensor) *Tensor {
				return plainAttention(
					in[0].Narrow(2, 0, d), in[0].Narrow(2, d, d), in[0].Narrow(2, 2*d, d), heads, causal,
				)
			},
			[][]int64{{b, t, 3 * d}},
		}
	}
	loss := func(r Reduction) fusedCase {
		return fusedCase{
			func(in []*Tensor) *Tensor { return VocabLoss(in[0], in[1], in[2], targets, r) },
			func(in []*Tensor) *Tensor {
				return CrossEntropy(in[0].MatMul(in[1].Transpose(0, 1)).Add(in[2]), targets, r)
			},
			[][]int64{{b * t, d}, {v, d}, {v}},
		}
	}
	return map[string]fusedCase{
		"linear": {
			func(in []*Tensor) *Tensor { return in[0].Linear(in[1], in[2]) },
			func(in []*Tensor) *Tensor { return in[0].MatMul(in[1].Transpose(0, 1)).Add(in[2]) },
			[][]int64{{b, t, d}, {wide, d}, {wide}},
		},
		"linear without bias, of a transposed input": {
			func(in []*Tensor) *Tensor { return in[0].Transpose(0, 1).Linear(in[1], nil) },
			func(in []*Tensor) *Tensor { return in[0].Transpose(0, 1).MatMul(in[1].Transpose(0, 1)) },
			[][]int64{{t, b, d}, {wide, d}},
		},
		"linear and relu": {
			func(in []*Tensor) *Tensor { return in[0].LinearRelu(in[1], in[2], 0) },
			func(in []*Tensor) *Tensor { return in[0].MatMul(in[1].Transpose(0, 1)).Add(in[2]).relu() },
			[][]int64{{b, t, d}, {wide, d}, {wide}},
		},
		"self-attention": self(false), "causal self-attention": self(true),
		"cross-attention": {
			func(in []*Tensor) *Tensor { return CrossAttention(in[0], in[1], heads, 0) },
			func(in []*Tensor) *Tensor {
				return plainAttention(in[0], in[1].Narrow(2, 0, d), in[1].Narrow(2, d, d), heads, false)
			},
			[][]int64{{b, t, d}, {b, s, 2 * d}},
		},
		"add and norm": {
			func(in []*Tensor) *Tensor { return in[0].AddNorm(in[1], in[2], in[3], 0, 1e-5) },
			func(in []*Tensor) *Tensor { return plainNorm(in[0].Add(in[1]), in[2], in[3]) },
			[][]int64{{b, t, d}, {b, t, d}, {d}, {d}},
		},
		"mean vocabulary loss": loss(ReduceMean), "summed vocabulary loss": loss(ReduceSum),
	}
}

// TestFusedAgainstPlain compares the values and all gradients of fused operations with those of
// libtorch's operations. It uses small random shapes, a shape that uses oneDNN's product, and a
// shape that needs several chunks of logits. The tolerance is for a chain of six sums, each as long
// as the longest dimension.
func TestFusedAgainstPlain(t *testing.T) {
	onTorch(t, func() error { Seed(1); return nil })
	rng := rand.New(rand.NewPCG(1, 2))
	n := func(most int64) int64 { return 1 + rng.Int64N(most) }
	for range 25 {
		compareFused(t, rng, testkit.RoundingBound(testkit.Chain(6, 80)...), n(4), n(20), n(20), n(20), n(3), n(60))
	}
	compareFused(t, rng, testkit.RoundingBound(testkit.Chain(6, 300)...), 8, 32, 9, 64, 2, 300)
	compareFused(t, rng, testkit.RoundingBound(testkit.Chain(6, 70001)...), 24, 7, 9, 8, 2, 70001)
}

// compareFused compares the fused and the plain operations of all cases. The last arguments are the
// batch size, the numbers of queries and keys, the head width, the number of heads and the
// vocabulary size.
func compareFused(t *testing.T, rng *rand.Rand, tolerance float64, b, tt, s, width, heads, v int64) {
	t.Helper()
	compareAs(
		t, rng, tolerance, largestOff, func(_ string, c fusedCase, in []*Tensor) *Tensor { return c.fused(in) }, b, tt,
		s, width, heads, v,
	)
}

// asLibtorch limits the error of a fused operation compared with double precision. This error may
// be the tolerance plus asLibtorch times the error of libtorch's own operations. A fixed limit
// would fail for ill-conditioned problems, such as the norm of a row of nearly equal numbers, whose
// error is large in every order of the sums.
const asLibtorch = 8

// largestOff returns the largest difference between got and want, divided by the largest magnitude
// in want.
func largestOff(got, want []float32) float64 {
	largest, off := 1e-3, 0.0
	for i, w := range want {
		largest, off = max(largest, math.Abs(float64(w))), max(off, math.Abs(float64(got[i]-w)))
	}
	return off / largest
}

// meanOff returns the root mean square of the differences between got and want, divided by the root
// mean square of want.
func meanOff(got, want []float32) float64 {
	squares, off := 1e-12, 0.0
	for i, w := range want {
		squares, off = squares+float64(w)*float64(w), off+math.Pow(float64(got[i]-w), 2)
	}
	return math.Sqrt(off / squares)
}

// compareAs calls the function fused for each case and compares the results with those of
// libtorch's operations in double precision. The function off measures the error.
func compareAs(t *testing.T, rng *rand.Rand, tolerance float64, off func(got, want []float32) float64,
	fused func(name string, c fusedCase, in []*Tensor) *Tensor, b, tt, s, width, heads, v int64,
) {
	t.Helper()
	onTorch(t, func() error {
		ids := make([]int64, b*tt)
		for i := range ids {
			ids[i] = rng.Int64N(v)
		}
		cases := fusedCases(b, tt, s, width*heads, heads, v, FromInts(ids, b*tt))
		// Sort the names, because the order determines which random numbers a case gets.
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			c := cases[name]
			var in []*Tensor
			for _, shape := range c.shapes {
				in = append(in, randn(shape...).Scale(.5).Leaf())
			}
			var weights *Tensor
			all := func(f func(in []*Tensor) *Tensor, in []*Tensor) (out [][]float32) {
				y := f(in)
				if weights == nil {
					weights = randn(y.Shape()...)
				}
				for _, x := range append([]*Tensor{y}, grads([]*Tensor{y.Mul(weights)}, in)...) {
					out = append(out, x.To(Float).Floats())
				}
				return out
			}
			want, theirs := all(c.plain, doubled(in)), all(c.plain, in)
			for i, x := range all(func(in []*Tensor) *Tensor { return fused(name, c, in) }, in) {
				share, libtorch := off(x, want[i]), off(theirs[i], want[i])
				if !(share <= tolerance+asLibtorch*libtorch) {
					t.Errorf(
						"%s %v: number %d (0 is the value, then the gradients) is off by %.2g, libtorch's by %.2g",
						name, c.shapes, i, share, libtorch,
					)
				}
			}
		}
		return nil
	})
}

// doubled returns new leaves with the numbers of in, converted to double precision.
func doubled(in []*Tensor) (out []*Tensor) {
	for _, x := range in {
		out = append(out, x.To(Double).Leaf())
	}
	return out
}

// TestFusedDropout applies dropout to ones. It checks that kept elements are scaled by 1/(1-p),
// that a share of about 1-p is kept in each row and column, and that the gradient has the same mask
// as the value. The same seed must give the same mask for any number of threads, and the next draw
// must give another mask.
func TestFusedDropout(t *testing.T) {
	const n, p = 400, .3
	onTorch(t, func() error {
		defer SetThreads(Threads())
		Seed(4)
		x := Ones(n, n).Leaf()
		y := x.Dropout(p, true)
		if g := Gradient(y, x); !sameBits(g.Floats(), y.Floats()) {
			t.Error("the gradient has another mask")
		}
		rows, columns := [n]float64{}, [n]float64{}
		for i, v := range y.Floats() {
			switch {
			case near(float64(v), 1/(1-p), 1e-6):
				rows[i/n]++
				columns[i%n]++
			case v != 0:
				t.Fatalf("an element is %v", v)
			}
		}
		for i := range n {
			for _, kept := range []float64{rows[i], columns[i]} {
				if math.Abs(kept-n*(1-p)) > 5*math.Sqrt(n*p*(1-p)) { // probability below 1e-3 for any of the 800 sums
					t.Errorf("row or column %d keeps %v of %d", i, kept, n)
				}
			}
		}
		if sameBits(y.Floats(), x.Dropout(p, true).Floats()) {
			t.Error("two draws are the same")
		}
		SetThreads(1)
		Seed(4)
		if !sameBits(y.Floats(), x.Dropout(p, true).Floats()) {
			t.Error("the same seed gives another mask with one thread")
		}
		if x.Dropout(p, false) != x {
			t.Error("dropout outside training")
		}
		return nil
	})
}

// TestFusedDropoutInside checks the gradients of operations that contain dropout. It compares them
// with finite differences along a random direction. It sets the same seed before each evaluation,
// so that the same elements are dropped.
func TestFusedDropoutInside(t *testing.T) {
	onTorch(t, func() error {
		for name, c := range map[string]fusedCase{
			"self-attention": {
				func(in []*Tensor) *Tensor { return SelfAttention(in[0], 2, true, .4) }, nil, [][]int64{{2, 5, 24}},
			},
			"cross-attention": {
				func(in []*Tensor) *Tensor { return CrossAttention(in[0], in[1], 2, .4) }, nil,
				[][]int64{{2, 5, 8}, {2, 3, 16}},
			},
			"add and norm": {
				func(in []*Tensor) *Tensor { return in[0].AddNorm(in[1], in[2], in[3], .4, 1e-5) }, nil,
				[][]int64{{6, 8}, {6, 8}, {8}, {8}},
			},
			"linear and relu": {
				func(in []*Tensor) *Tensor { return in[0].LinearRelu(in[1], in[2], .4) }, nil,
				[][]int64{{6, 8}, {16, 8}, {16}},
			},
		} {
			var in, way []*Tensor
			for _, shape := range c.shapes {
				in, way = append(in, randn(shape...).Leaf()), append(way, randn(shape...))
			}
			Seed(9)
			y := c.fused(in)
			weights := randn(y.Shape()...)
			slope := 0.0
			for i, g := range grads([]*Tensor{y.Mul(weights)}, in) {
				slope += g.Mul(way[i]).Sum().Item()
			}
			const h = 1e-3
			at := func(step float64) float64 {
				var moved []*Tensor
				for i, x := range in {
					moved = append(moved, x.Detach().Add(way[i].Scale(step)))
				}
				Seed(9)
				return c.fused(moved).Mul(weights).Sum().Item()
			}
			if got := (at(h) - at(-h)) / (2 * h); math.Abs(got-slope) > 2e-2*max(1, math.Abs(slope)) {
				t.Errorf("%s: the value moves by %v, its gradient says %v", name, got, slope)
			}
		}
		return nil
	})
}

// TestAttentionOfCUDA checks that the attention operation for CUDA gives the same results as
// attention composed of single operations.
func TestAttentionOfCUDA(t *testing.T) {
	onTorch(t, func() error {
		Seed(2)
		for _, causal := range []bool{false, true} {
			q, k, v := randn(2, 5, 24), randn(2, 5, 24), randn(2, 5, 24)
			want := unfusedAttention(q, k, v, 3, causal, 0).Floats()
			got := fusedAttention(nil, Cat(2, q, k, v), 3, causal, 0).Floats()
			if !testkit.WithinRounding(got, want, testkit.Chain(3, 8)...) {
				t.Errorf("causal %t: %v, written out %v", causal, got, want)
			}
			got = fusedAttention(q, Cat(2, k, v), 3, causal, 0).Floats()
			if !testkit.WithinRounding(got, want, testkit.Chain(3, 8)...) {
				t.Errorf("causal %t, to keys of their own: %v, written out %v", causal, got, want)
			}
		}
		return nil
	})
}

// whole returns a tensor of integers from -3 to 3, multiplied by unit. If unit is a power of two,
// sums of products of such numbers are exact in every order.
func whole(unit float64, shape ...int64) *Tensor {
	rng := rand.New(rand.NewPCG(5, 6))
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(float64(rng.IntN(7)-3) * unit)
	}
	return FromFloats(xs, shape...)
}

// TestKernelsThreads checks that our kernels give the same bits with one, two and three threads.
// Libraries compute the matrix products and may sum in any order. So the test multiplies only
// matrices for which every order gives the same result, and does not compare gradients that are
// products.
func TestKernelsThreads(t *testing.T) {
	onTorch(t, func() error {
		defer SetThreads(Threads())
		const n, d, v = 2400, 512, 300
		x, states := randn(n, d).Leaf(), randn(n/8, 8, d).Leaf()
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(i*i) % v
		}
		factor, w := whole(1, n, d).Leaf(), whole(1, v, d).Leaf()
		words, bias := whole(1.0/64, v, d).Leaf(), whole(1.0/64, v).Leaf()
		narrow, wide := randn(n, d), randn(n, v)
		run := func() (out [][]float32) {
			Seed(1)
			y, cosines := x.Dropout(.1, true), MeanCosine(states)
			rest := factor.LinearRelu(w, bias, .2)
			loss := VocabLoss(factor, words, bias, FromInts(ids, n), ReduceMean)
			out = append(out, y.Floats(), cosines.Floats(), rest.Floats(), loss.Floats())
			for _, g := range grads(
				[]*Tensor{y.Mul(narrow), cosines, rest.Mul(wide), loss}, []*Tensor{x, states, bias},
			) {
				out = append(out, g.Floats())
			}
			return out
		}
		SetThreads(1)
		one := run()
		for _, threads := range []int{2, 3} {
			SetThreads(threads)
			for i, got := range run() {
				if !sameBits(got, one[i]) {
					t.Errorf("%d threads: number %d (four values, then the gradients) differs", threads, i)
				}
			}
		}
		return nil
	})
}

// TestThreadsRound checks that a model gives the same bits each time with the same number of
// threads. With another number of threads, the libraries split matrix products differently. Then
// the values and gradients must agree up to the rounding of sums of 2,400 terms.
func TestThreadsRound(t *testing.T) {
	onTorch(t, func() error {
		defer SetThreads(Threads())
		const n, d, v = 2400, 512, 300
		leaf := func(shape ...int64) *Tensor { return randn(shape...).Scale(.1).Leaf() }
		x, w, shift, scale := leaf(n/8, 8, d), leaf(d, d), leaf(d), leaf(d)
		qkv, words, bias := leaf(3*d, d), leaf(v, d), leaf(v)
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(i*i) % v
		}
		in := []*Tensor{x, w, shift, scale, qkv, words, bias}
		run := func() (out [][]float32) {
			Seed(1)
			// The model has no ReLU, because the gradient of ReLU jumps if rounding moves a number
			// across 0.
			y := x.AddNorm(x.Linear(w, shift), scale, shift, .1, 1e-5)
			y = y.AddNorm(SelfAttention(y.Linear(qkv, nil), 4, false, .1), scale, shift, .1, 1e-5).Dropout(.1, true)
			loss := VocabLoss(y.Reshape(n, d), words, bias, FromInts(ids, n), ReduceMean)
			for _, g := range append([]*Tensor{loss}, grads([]*Tensor{loss}, in)...) {
				out = append(out, g.Floats())
			}
			return out
		}
		SetThreads(1)
		one := run()
		for _, threads := range []int{1, 2, 3} {
			SetThreads(threads)
			got := run()
			for i, again := range run() {
				if !sameBits(got[i], again) {
					t.Errorf(
						"%d threads: number %d (0 is the loss, then the gradients) is not the same twice", threads, i,
					)
				}
				if off := testkit.Difference(got[i], one[i]); !(off <= testkit.RoundingBound(testkit.Chain(6, n)...)) {
					t.Errorf(
						"%d threads: number %d (0 is the loss, then the gradients) is %.2g off that of one thread",
						threads, i, off,
					)
				}
			}
		}
		return nil
	})
}

// TestFusedPassesNaN checks that NaN or infinity in the input leads to NaN or infinity in the
// output, so that the training loop can detect it.
func TestFusedPassesNaN(t *testing.T) {
	onTorch(t, func() error {
		for _, evil := range []float64{math.NaN(), math.Inf(1)} {
			y := Ones(3, 4).LinearRelu(Ones(5, 4), Ones(5).Scale(evil), 0)
			if got := y.Sum().Item(); got == got && !math.IsInf(got, 0) {
				t.Errorf("a bias of %v makes %v", evil, got)
			}
		}
		return nil
	})
}

// TestFusedBF16Values compares the values and all gradients of operations in bfloat16 under
// autocast with those in double precision. Some sizes need several chunks of logits. The test
// limits mean differences instead of the largest one, because rounding flips the sign of a few
// numbers near 0, which turns the gradient of ReLU on or off.
func TestFusedBF16Values(t *testing.T) {
	needBF16(t)
	onTorch(t, func() error { Seed(2); return nil })
	rng := rand.New(rand.NewPCG(3, 4))
	compareAs(t, rng, .1, meanOff, halves, 4, 9, 11, 16, 2, 60)
	compareAs(t, rng, .1, meanOff, halves, 5, 20, 3, 20, 3, 300)
	compareAs(t, rng, .1, meanOff, halves, 40, 7, 9, 4, 2, 70001)
}

// halves runs a fused operation as a model does under bfloat16 autocast. The inputs of attention
// and the second term of a residual sum are results of products, so they are already in bfloat16.
func halves(name string, c fusedCase, in []*Tensor) (out *Tensor) {
	in = append([]*Tensor(nil), in...)
	switch name {
	case "self-attention", "causal self-attention", "cross-attention":
		for i := range in {
			in[i] = in[i].To(BFloat16)
		}
	case "add and norm":
		in[1] = in[1].To(BFloat16)
	}
	Autocast(true, func() { out = c.fused(in) })
	return out.To(Float)
}

// TestFusedBF16 checks that values under autocast agree with those in float32 up to the rounding of
// bfloat16. Losses and the gradients of parameters must be float32.
func TestFusedBF16(t *testing.T) {
	needBF16(t)
	onTorch(t, func() error {
		x, w, b := randn(64, 128).Leaf(), randn(96, 128).Scale(.1).Leaf(), randn(96).Leaf()
		targets := FromInts(make([]int64, 64), 64)
		run := func(half bool) (y, loss *Tensor) {
			Autocast(half, func() { y = x.LinearRelu(w, b, 0); loss = VocabLoss(x, w, b, targets, ReduceMean) })
			return y, loss
		}
		plain, plainLoss := run(false)
		y, loss := run(true)
		if y.DType() != BFloat16 || loss.DType() != Float {
			t.Errorf("the product is %v, the loss %v", y.DType(), loss.DType())
		}
		scale := plain.Abs().Mean().Item()
		if off := y.To(Float).Sub(plain).Abs().Mean().Item(); off > .01*scale || off == 0 {
			t.Errorf("bfloat16 is off by %v of %v", off, scale)
		}
		if got, want := loss.Item(), plainLoss.Item(); !near(got, want, .01) {
			t.Errorf("loss %v, in float32 %v", got, want)
		}
		for i, g := range grads([]*Tensor{y.To(Float), loss}, []*Tensor{x, w, b}) {
			if g.DType() != Float {
				t.Errorf("gradient %d is %v", i, g.DType())
			}
		}
		return nil
	})
}

// plainCosine returns libtorch's cosine between a and b along dim.
func plainCosine(a, b *Tensor, dim int64) *Tensor {
	return binary("cosine", func(o *handle, x, y handle) { lib.AtgCosineSimilarity(o, x, y, dim, 1e-8) }, a, b)
}

// TestMeanCosine compares cosines and gradients with libtorch's in double precision. Some draws
// have only zero vectors or only equal vectors. Each vector has at least eight elements, because
// its norm is then rarely near 0, where the gradient would be a difference of large numbers.
func TestMeanCosine(t *testing.T) {
	onTorch(t, func() error {
		// Restore the generator's state at the end, so that this test does not change the numbers
		// that other tests draw.
		defer SetRNGState(RNGState())
		rapid.Check(t, func(r *rapid.T) {
			Seed(rapid.Uint64().Draw(r, "seed"))
			size := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(r, name) }
			err := Scoped(func() error {
				x := randn(size("batch", 9), size("time", 9), 7+size("n", 80))
				weight := randn(x.Size(0), x.Size(1))
				switch rapid.IntRange(0, 3).Draw(r, "kind") {
				case 1:
					x = x.Transpose(0, 1)
					weight = weight.Transpose(0, 1)
				case 2:
					x = x.Scale(0)
				case 3:
					x = Cat(1, slices.Repeat([]*Tensor{x.Narrow(1, 0, 1)}, int(x.Size(1)))...)
				}
				run := func(x *Tensor, cosines func(x *Tensor) *Tensor) [][]float32 {
					leaf := x.Leaf()
					c := cosines(leaf)
					return [][]float32{
						c.To(Float).Floats(), Gradient(c.Mul(weight), leaf).To(Float).Floats(),
					}
				}
				got := run(x, func(x *Tensor) *Tensor { return MeanCosine(x) })
				want := run(x.To(Double), func(x *Tensor) *Tensor { return plainCosine(x, x.MeanDim(1, true), 2) })
				// A cosine needs the mean vector, two norms and an inner product. The gradient
				// needs as many operations again.
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
