package main

import (
	"math"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// matrixRate makes the matrix products of a training step and nothing else: what a step would take
// if all but products were free. Each goes through whichever of libtorch's libraries is the faster
// for its shape, and memory is kept between them (bench's start). Products of two activations are
// left out: they are a few in a thousand of a step's and run far below the rate of the others,
// which would then look easier to reach.
type matrixRate struct {
	products []product
	factors  [][]factors // of every product the kinds that training makes
}

// factors of one product x w^T, and the library that makes it.
type factors struct {
	x, w   *torch.Tensor
	oneDNN bool
}

// newMatrixRate makes the factors of a case's products and chooses a library for each.
func newMatrixRate(c benchCase) (*matrixRate, error) {
	m := &matrixRate{products: rateProducts(c)}
	return m, torch.Run(func() error {
		torch.Seed(c.Seed)
		of := func(rows, cols int) *torch.Tensor {
			t := torch.Uniform(-1, 1, int64(rows), int64(cols))
			if c.BF16 {
				t = t.To(torch.BFloat16)
			}
			return t.Own()
		}
		for _, p := range m.products {
			x, w, dy := of(p.M, p.K), of(p.N, p.K), of(p.M, p.N)
			all := []factors{
				{x: x, w: w}, // forward
				{x: dy.Transpose(0, 1).Own(), w: x.Transpose(0, 1).Own()}, // the weight's gradient
				{x: dy, w: w.Transpose(0, 1).Own()},                       // the input's
			}
			all = all[:p.Of.Count()]
			for i := range all {
				if err := all[i].choose(); err != nil {
					return err
				}
			}
			m.factors = append(m.factors, all)
		}
		return nil
	})
}

// choose takes the library that is the faster one.
func (f *factors) choose() error {
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for range 4 { // the first of each is the slower one
		for i := range best {
			f.oneDNN = i == 1
			start := time.Now()
			if err := f.once(); err != nil {
				return err
			}
			best[i] = min(best[i], time.Since(start).Seconds())
		}
	}
	f.oneDNN = best[1] < best[0]
	return nil
}

func (f factors) once() error {
	return torch.Scoped(func() error {
		torch.Product(f.x, f.w, f.oneDNN)
		return nil
	})
}

// Run makes all products n times; Each has the seconds of every one of them.
func (m *matrixRate) Run(n int) (timeTaken, error) {
	a := timeTaken{Each: make([]float64, len(m.products))}
	err := torch.Run(func() error {
		for range n {
			for i, p := range m.products {
				start := time.Now()
				for range p.Times {
					for _, f := range m.factors[i] {
						if err := f.once(); err != nil {
							return err
						}
					}
				}
				took := time.Since(start).Seconds()
				a.Each[i] += took
				a.Seconds += took
			}
		}
		return nil
	})
	return a, err
}
