package torch

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// lstmCase is a random layer with its input and with the factors that turn its outputs into a loss.
type lstmCase struct {
	x               *Tensor // [B, T, in], in one of three layouts
	weights         []*Tensor
	byState, byLast *Tensor // factors by which the outputs are multiplied in the loss
}

func drawLSTM(batch, time, in, hidden, dirs int64, layout int) lstmCase {
	var c lstmCase
	switch layout {
	case 1:
		c.x = randn(time, batch, in).Transpose(0, 1)
	case 2:
		c.x = randn(batch, in, time).Transpose(1, 2)
	default:
		c.x = randn(batch, time, in)
	}
	bound := 1 / math.Sqrt(float64(hidden))
	for range dirs {
		for _, shape := range [][]int64{{4 * hidden, in}, {4 * hidden, hidden}, {4 * hidden}, {4 * hidden}} {
			c.weights = append(c.weights, Uniform(-bound, bound, shape...))
		}
	}
	c.byState, c.byLast = randn(batch, time, dirs*hidden), randn(dirs, batch, hidden)
	return c
}

// run returns the outputs, then the gradient of x, then the gradients of the weights.
func (c lstmCase) run(dtype DType, wantStates bool) [][]float32 {
	var leaves []*Tensor
	for _, t := range append([]*Tensor{c.x}, c.weights...) {
		if dtype != Float {
			t = t.To(dtype)
		}
		leaves = append(leaves, t.Leaf())
	}
	states, last := lstm(leaves[0], leaves[1:], wantStates)
	out := [][]float32{last.To(Float).Floats()}
	sums := []*Tensor{last.Mul(c.byLast)}
	if wantStates {
		out = append(out, states.To(Float).Floats())
		sums = append(sums, states.Mul(c.byState))
	}
	for _, g := range grads(sums, leaves) {
		out = append(out, g.To(Float).Floats())
	}
	return out
}

// furthest returns the largest difference between two lists of tensors. Each difference is divided
// by the largest magnitude in the tensor of want, or by the argument floor if floor is larger.
func furthest(got, want [][]float32, floor float64) float64 {
	worst := 0.0
	for i := range want {
		largest, off := floor, 0.0
		for k, w := range want[i] {
			largest = max(largest, math.Abs(float64(w)))
			off = max(off, math.Abs(float64(w)-float64(got[i][k])))
		}
		worst = max(worst, off/largest)
	}
	return worst
}

// TestLSTMParity compares outputs and all gradients with libtorch's layer in double precision. If
// products cancel each other, a gradient is small compared with its rounding error. Therefore
// differences are divided by at least 1, the argument floor of furthest.
func TestLSTMParity(t *testing.T) {
	onTorch(t, func() error {
		// Restore the generator's state at the end, so that this test does not change the numbers
		// that other tests draw.
		defer SetRNGState(RNGState())
		rapid.Check(t, func(r *rapid.T) {
			Seed(rapid.Uint64().Draw(r, "seed"))
			size := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(r, name) }
			most := rapid.SampledFrom([]int64{20, 100}).Draw(r, "most")
			wantStates := rapid.Bool().Draw(r, "states")
			err := Scoped(func() error {
				c := drawLSTM(
					size("batch", 40),
					size("time", 12),
					size("in", most),
					size("hidden", most),
					size("dirs", 2),
					rapid.IntRange(0, 2).Draw(r, "layout"),
				)
				got, want := c.run(Float, wantStates), c.run(Double, wantStates)
				// In both passes, a time step sums over inputs and hidden units. The gradient of a
				// weight sums over the whole batch.
				time, rows := int(c.x.Size(1)), int(c.x.Size(0)*c.x.Size(1))
				chain := append(testkit.Chain(2*time, int(c.x.Size(2)+c.weights[1].Size(1))), rows)
				if off := furthest(got, want, 1); off > testkit.RoundingBound(chain...) {
					r.Fatalf("the largest difference is %.2g of the tensor's largest number", off)
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

// TestLSTMIsTheSameEverywhere checks that outputs and gradients do not depend on the number of
// threads, or on whether all states are wanted or only the last ones. Outputs must not depend on
// whether gradients are recorded. CPUs without AVX-512 use libtorch's layer, which guarantees none
// of this. On them, results may differ by rounding.
func TestLSTMIsTheSameEverywhere(t *testing.T) {
	same, equal := sameBits, func(got, want []float32) bool { return testkit.Difference(got, want) == 0 } // -0 equals 0
	if CPUCapability() != "AVX512" {
		same = func(got, want []float32) bool {
			return testkit.WithinRounding(got, want, append(testkit.Chain(14, 70+21), 7*33)...)
		}
		equal = same
	}
	onTorch(t, func() error {
		defer SetThreads(Threads())
		c := drawLSTM(33, 7, 21, 70, 2, 0)
		c.byState = Zeros(33, 7, 140)
		SetThreads(1)
		one := c.run(Float, true)
		SetThreads(2)
		two := c.run(Float, true)
		alone := c.run(Float, false)
		for i := range one {
			if !same(two[i], one[i]) {
				t.Errorf("result %d depends on the number of threads", i)
			}
		}
		for i, got := range alone {
			want := one[0]
			if i > 0 {
				want = one[i+1]
			}
			if !equal(got, want) {
				t.Errorf("result %d depends on whether all states are wanted", i)
			}
		}
		return NoGrad(func() error {
			states, last := LSTM(c.x, c.weights)
			if !same(last.Floats(), one[0]) || !same(states.Floats(), one[1]) {
				t.Error("outputs depend on whether gradients are recorded")
			}
			return nil
		})
	})
}

// TestLSTMBF16 checks that outputs with bfloat16 products are close to those with float32 products,
// but not equal. The results must be float32.
func TestLSTMBF16(t *testing.T) {
	if !HasBF16() {
		t.Skip("this CPU has no bfloat16 products")
	}
	onTorch(t, func() error {
		Seed(6)
		for _, batch := range []int64{1, 2, 33} { // with odd sizes, the kernel's last pair of numbers is incomplete
			c := drawLSTM(batch, 7, 21, 70, 2, 0)
			want := c.run(Float, true)
			var got [][]float32
			Autocast(true, func() { got = c.run(Float, true) })
			if off := furthest(got, want, .1); off == 0 || off > .03 {
				t.Errorf("batch %d: the largest difference between bfloat16 and float32 is %v", batch, off)
			}
		}
		return nil
	})
}

// TestLSTMElsewhere checks that libtorch's layer keeps its precision under autocast. CPUs without
// AVX-512 use this layer, and oneDNN has no bfloat16 layer for them. All CPUs use it for doubles.
func TestLSTMElsewhere(t *testing.T) {
	onTorch(t, func() error {
		c := drawLSTM(3, 5, 8, 16, 2, 0)
		for i, w := range c.weights {
			c.weights[i] = w.To(Double)
		}
		want := c.run(Double, true)
		Autocast(true, func() {
			states, last := lstm(c.x.To(BFloat16).To(Double), c.weights, true)
			if states.DType() != Double || last.DType() != Double {
				t.Errorf("states are %v, the last ones %v", states.DType(), last.DType())
			}
			got := c.run(Double, true)
			for i := range want {
				if !sameBits(got[i], want[i]) {
					t.Errorf("result %d is another one under autocast", i)
				}
			}
			half, _ := lstm(c.x.To(BFloat16), c.weights, true)
			if !sameBits(half.To(Float).Floats(), states.To(Float).Floats()) {
				t.Error("inputs of bfloat16 are not taken as what they are")
			}
		})
		return nil
	})
}

// TestLSTMPassesNaN checks that NaN in the input leads to NaN in the output, so that the training
// loop can detect it.
func TestLSTMPassesNaN(t *testing.T) {
	onTorch(t, func() error {
		c := drawLSTM(2, 3, 4, 5, 1, 0)
		_, last := LSTM(c.x.Scale(math.NaN()), c.weights)
		for _, v := range last.Floats() {
			if !math.IsNaN(float64(v)) {
				t.Errorf("a state is %v after inputs of NaN", v)
			}
		}
		_, last = LSTM(c.x.Scale(1e30), c.weights)
		if !last.Finite() {
			t.Error("a state is not finite after large inputs")
		}
		return nil
	})
}

// TestLSTMWeights checks that a weight of a wrong shape gives an error and is not read past its
// end.
func TestLSTMWeights(t *testing.T) {
	onTorch(t, func() error {
		for i := range 4 {
			c := drawLSTM(2, 3, 4, 5, 1, 0)
			c.weights[i] = Ones(append([]int64{21}, c.weights[i].Shape()[1:]...)...)
			wantOpError(t, Scoped(func() error { LSTM(c.x, c.weights); return nil }), "lstm", "weight")
		}
		return nil
	})
}

// TestCells compares cells with the equations in float64. The kernel and libtorch's operations,
// which compute cells of doubles, must both compute the right cells. Pre-activations range from
// values so small that tanh is linear to values so large that tanh is 1.
func TestCells(t *testing.T) {
	onTorch(t, func() error {
		Seed(2)
		const h = 37
		threads := Threads()
		defer SetThreads(threads)
		table, products := randn(5, 4*h).Scale(4), randn(3, 4*h).Scale(4)
		table.Narrow(0, 0, 1).Set(table.Narrow(0, 0, 1).Scale(1e-4))
		table.Narrow(0, 1, 1).Set(table.Narrow(0, 1, 1).Scale(1e3))
		words, next, parents := []int64{4, 0, 1}, []int64{0, 1, 2, 0}, []int64{2, 2, 0, 1}
		for _, as := range []DType{Float, Double} {
			table, products := table.To(as), products.To(as)
			first := FirstCells(table, FromInts(words, 3))
			second := first.Next(table, FromInts(next, 4), products, FromInts(parents, 4))
			SetThreads(1)
			alone := first.Next(table, FromInts(next, 4), products, FromInts(parents, 4))
			SetThreads(threads)
			if !sameBits(alone.Hidden.To(Float).Floats(), second.Hidden.To(Float).Floats()) {
				t.Error("one thread computes other states")
			}
			rows, add := table.To(Float).Floats(), products.To(Float).Floats()
			before := make([][]float64, 3)
			for i, w := range words {
				pre := func(k int) float64 { return float64(rows[int(w)*4*h+k]) }
				before[i] = cellByDefinition(t, first, i, h, pre, nil)
			}
			for i, w := range next {
				pre := func(k int) float64 { return float64(rows[int(w)*4*h+k] + add[int(parents[i])*4*h+k]) }
				cellByDefinition(t, second, i, h, pre, before[parents[i]])
			}
		}
		return nil
	})
}

// cellByDefinition computes a cell from the equations, compares it with row i of got, and returns
// it. The function pre returns the pre-activations of the gates i, f, g, o. The argument before is
// the previous cell.
func cellByDefinition(t *testing.T, got Cells, i, h int, pre func(k int) float64, before []float64) []float64 {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	hidden, cell := got.Hidden.To(Float).Floats()[i*h:(i+1)*h], got.Cell.To(Float).Floats()[i*h:(i+1)*h]
	out := make([]float64, h)
	for k := range h {
		out[k] = sigmoid(pre(k)) * math.Tanh(pre(2*h+k))
		if before != nil {
			out[k] += sigmoid(pre(h+k)) * before[k]
		}
		state := sigmoid(pre(3*h+k)) * math.Tanh(out[k])
		for _, c := range [][2]float64{{float64(cell[k]), out[k]}, {float64(hidden[k]), state}} {
			// A cell takes about a dozen operations. Each adds the error of one or two roundings of
			// a value that is not larger than the result.
			if off := math.Abs(c[0] - c[1]); !(off <= testkit.RoundingBound(24)*max(math.Abs(c[1]), 1e-7)) {
				t.Errorf("row %d, unit %d: %g, by definition %g", i, k, c[0], c[1])
			}
		}
	}
	return out
}
