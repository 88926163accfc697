package nn

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Positions is the sinusoidal encoding (Vaswani et al. 2017, section 3.5), computed as far as it
// was asked for. The zero value is ready.
type Positions struct {
	table  []float32 // of length positions, row-major
	length int
}

// Table returns the encoding of the first t positions in d numbers, [1, t, d]. d must be the same
// in all calls.
func (p *Positions) Table(t, d int) *torch.Tensor {
	for ; p.length < t; p.length++ {
		for i := range d {
			angle := float64(p.length) / math.Pow(10000, float64(i&^1)/float64(d))
			if i%2 == 0 {
				p.table = append(p.table, float32(math.Sin(angle)))
			} else {
				p.table = append(p.table, float32(math.Cos(angle)))
			}
		}
	}
	return torch.FromFloats(p.table[:t*d], 1, int64(t), int64(d))
}
