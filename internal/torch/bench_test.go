package torch

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

// These are the sizes of a training step of the paper: 128 sentences of 12 words. Two control codes
// follow each sentence.
const (
	benchB, benchT, benchWords     = 128, 14, 12
	benchD, benchHeads, benchFF    = 512, 8, 2048
	benchV, benchStates, benchDrop = 10000, 1024, .3
)

// BenchmarkKernels measures how much processor time each kernel saves compared with libtorch's
// plain operation, forward and backward, on one thread. It alternates between runs with and without
// the kernel. It reports three medians: of the times with the kernel, of the times without it, and
// of the differences between a run without it and a run with it. docs/decisions/014-own-kernels.md
// has the numbers.
func BenchmarkKernels(b *testing.B) {
	rows := func(n ...int64) *Tensor { return Randn(append([]int64{benchB, benchT}, n...)...).Leaf() }
	leaf := func(n ...int64) *Tensor { return Randn(n...).Scale(.05).Leaf() }
	ids := func(n, of int64) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = int64(i*i) % of
		}
		return out
	}
	// passes returns a function that runs fn and computes its gradients.
	passes := func(fn func(in []*Tensor) *Tensor, in ...*Tensor) func() {
		return func() { Grads([]*Tensor{fn(in)}, in) }
	}
	for _, c := range []struct {
		kernel string
		make   func() func()
	}{
		{"adam", func() func() {
			params, m, v := benchParams(), benchParams(), benchParams()
			for i := range params {
				params[i] = params[i].Leaf()
				params[i].Sum().Backward()
				v[i] = v[i].Abs()
			}
			return func() { AdamStep(params, m, v, nil, 1e-3, .5, .999, 1e-8, 5, 1) }
		}},
		{"onednn", func() func() { // the matrix products of one layer
			x, h := rows(benchD), rows(benchFF)
			in, out := leaf(3*benchD, benchD), leaf(benchD, benchD)
			wide, narrow := leaf(benchFF, benchD), leaf(benchD, benchFF)
			return func() {
				ys := []*Tensor{x.Linear(in, nil), x.Linear(out, nil), x.Linear(wide, nil), h.Linear(narrow, nil)}
				Grads(ys, []*Tensor{x, h, in, out, wide, narrow})
			}
		}},
		{"vocabulary-loss", func() func() {
			words := FromInts(ids(benchB*benchWords, benchV), benchB*benchWords)
			return passes(func(in []*Tensor) *Tensor { return VocabLoss(in[0], in[1], in[2], words, ReduceMean) },
				Randn(benchB*benchWords, benchD).Leaf(), leaf(benchV, benchD), leaf(benchV))
		}},
		{"dropout", func() func() {
			x, h, weights := rows(benchD), rows(benchFF), leaf(benchB, benchHeads, benchT, benchT)
			// These are all dropouts of a training step: one for the input and, for each of two
			// layers, two for residual sums, one for ReLU and one for attention weights.
			return func() {
				var ys []*Tensor
				for _, t := range []*Tensor{x, x, x, x, x, h, h, weights, weights} {
					ys = append(ys, t.Dropout(benchDrop, true))
				}
				Grads(ys, []*Tensor{x, h, weights})
			}
		}},
		{"conicity", func() func() {
			return passes(func(in []*Tensor) *Tensor { return MeanCosine(in[0]) },
				Randn(benchB, benchWords, benchStates).Leaf())
		}},
	} {
		b.Run(c.kernel, func(b *testing.B) {
			err := Run(func() error {
				defer SetThreads(Threads())
				SetThreads(1)
				Seed(1)
				run := c.make()
				var took [2][]float64 // milliseconds: took[0] with the kernel, took[1] without it
				for i := range b.N + 2 {
					for side, on := range []bool{true, false} {
						was := switched(c.kernel, on)
						before := processorTime(b)
						err := Scoped(func() error { run(); return nil })
						ms := (processorTime(b) - before).Seconds() * 1e3
						switched(c.kernel, was)
						if err != nil {
							return err
						}
						if i >= 2 { // leave out the first two runs, which also prepare matrix products and memory
							took[side] = append(took[side], ms)
						}
					}
				}
				saved := make([]float64, b.N)
				for i := range saved {
					saved[i] = took[1][i] - took[0][i]
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(middle(took[0]), "ms-with")
				b.ReportMetric(middle(took[1]), "ms-without")
				b.ReportMetric(middle(saved), "ms-saved")
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// benchParams returns tensors with the shapes of SMLM's parameters.
func benchParams() (ps []*Tensor) {
	add := func(shape ...int64) { ps = append(ps, Randn(shape...).Scale(.05)) }
	add(benchV, benchD)
	for range 2 {
		for _, out := range []int64{3 * benchD, benchD, benchFF} {
			add(out, benchD)
			add(out)
		}
		add(benchD, benchFF)
		for range 5 { // the bias, and the weight and bias of each of two layer norms
			add(benchD)
		}
	}
	add(benchV, benchD)
	add(benchV)
	return ps
}

// middle returns the median.
func middle(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// processorTime returns the processor time that the process has used, in user and kernel mode.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
