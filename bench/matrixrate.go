package main

import (
	"time"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// matrixRate makes the matrix products of a training step and nothing else, through the operations that a step calls: what a step
// would take if all but products were free. Products of two activations are left out: they are a few in a thousand of a step's and run
// far below the rate of the others, which would then look easier to reach.
type matrixRate struct {
	products []product
	operands []operands
}

// operands of a product: its input [M, K], weight [N, K] and the gradient of its output [M, N].
type operands struct{ x, w, dy *torch.Tensor }

// plainProducts are those of a case's step that count for the rate.
func plainProducts(c Case) []product {
	var out []product
	for _, p := range stepProducts(c, c.BatchSize, c.BatchTokens/c.BatchSize) {
		if !p.Batched {
			out = append(out, p)
		}
	}
	return out
}

func newMatrixRate(c Case) (*matrixRate, error) {
	m := &matrixRate{products: plainProducts(c)}
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
			m.operands = append(m.operands, operands{of(p.M, p.K), of(p.N, p.K), of(p.M, p.N)})
		}
		return nil
	})
}

// run makes all products n times; Each has the seconds of every one of them.
func (m *matrixRate) run(n int) (reply, error) {
	a := reply{Each: make([]float64, len(m.products))}
	err := torch.Run(func() error {
		for range n {
			for i, p := range m.products {
				start := time.Now()
				for range p.Times {
					if err := m.operands[i].once(p.Cut); err != nil {
						return err
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

// once makes a product and those of its two gradients.
func (o operands) once(cut bool) error {
	return torch.Scoped(func() error {
		o.x.Linear(o.w, nil)
		if !cut {
			o.dy.MatMul(o.w)
		}
		o.dy.Transpose(0, 1).MatMul(o.x)
		return nil
	})
}
