package torch

import (
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"math"
	"testing"
)

// TestCells holds cells to the equations in float64, by the kernel and by libtorch's operations,
// with pre-activations from where tanh keeps only its first term to where it is 1.
func TestCells(t *testing.T) {
	onTorch(t, func() error {
		Seed(2)
		const h = 37
		threads := Threads()
		defer SetThreads(threads)
		table, products := Randn(5, 4*h).Scale(4), Randn(3, 4*h).Scale(4)
		table.Narrow(0, 0, 1).Set(table.Narrow(0, 0, 1).Scale(1e-4))
		table.Narrow(0, 1, 1).Set(table.Narrow(0, 1, 1).Scale(1e3))
		words, next, parents := []int64{4, 0, 1}, []int64{0, 1, 2, 0}, []int64{2, 2, 0, 1}
		for _, on := range []bool{true, false} {
			was := switched("lstm-cell", on)
			first := FirstCells(table, FromInts(words, 3))
			second := first.Next(table, FromInts(next, 4), products, FromInts(parents, 4))
			SetThreads(1)
			alone := first.Next(table, FromInts(next, 4), products, FromInts(parents, 4))
			SetThreads(threads)
			switched("lstm-cell", was)
			if !sameBits(alone.Hidden.Floats(), second.Hidden.Floats()) {
				t.Error("one thread computes other states")
			}
			rows, add := table.Floats(), products.Floats()
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

// cellByDefinition compares row i of got with the cell of pre-activations pre of i, f, g, o after
// the cell before, and returns it.
func cellByDefinition(t *testing.T, got Cells, i, h int, pre func(k int) float64, before []float64) []float64 {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	hidden, cell := got.Hidden.Floats()[i*h:(i+1)*h], got.Cell.Floats()[i*h:(i+1)*h]
	out := make([]float64, h)
	for k := range h {
		out[k] = sigmoid(pre(k)) * math.Tanh(pre(2*h+k))
		if before != nil {
			out[k] += sigmoid(pre(h+k)) * before[k]
		}
		state := sigmoid(pre(3*h+k)) * math.Tanh(out[k])
		for _, c := range [][2]float64{{float64(cell[k]), out[k]}, {float64(hidden[k]), state}} {
			// A dozen operations, each off by a rounding or two of what is at most itself.
			if off := math.Abs(c[0] - c[1]); !(off <= testkit.RoundingBound(24)*max(math.Abs(c[1]), 1e-7)) {
				t.Errorf("row %d, unit %d: %g, by definition %g", i, k, c[0], c[1])
			}
		}
	}
	return out
}
