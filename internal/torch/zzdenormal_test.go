package torch

import (
	"fmt"
	"testing"
)

func TestZZDenormal(t *testing.T) {
	_ = Run(func() error {
		SetThreads(1)
		run := func(m0 float64, share int64) float64 {
			best := 1e9
			_ = Scoped(func() error {
				p := Param(Randn(10000, 512))
				defer p.Free()
				p.Scale(0).Sum().Backward()
				m, v := Zeros(10000, 512), Ones(10000, 512).Scale(1e-6)
				m.Narrow(0, 0, share).Set(Ones(share, 512).Scale(m0))
				for range 12 {
					b := &testing.B{}
					before := processorTime(b)
					AdamStep([]*Tensor{p}, []*Tensor{m}, []*Tensor{v}, 1e-3, .5, .999, 1e-8, 5, 0, 1)
					best = min(best, (processorTime(b)-before).Seconds()*1e3)
				}
				return nil
			})
			return best
		}
		for range 4 {
			fmt.Printf("normal %.2f ms, all denormal %.2f ms, 5 %% denormal %.2f, zero %.2f\n", run(1e-2, 10000), run(1.1e-38, 10000), run(1.1e-38, 500), run(0, 10000))
		}
		return nil
	})
}
