package divlstm

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// TestConicityOfParallel checks that parallel states have conicity 1, whatever their lengths.
func TestConicityOfParallel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(t, "d")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		direction := rapid.SliceOfN(rapid.Float32Range(.1, 1), d, d).Draw(t, "direction")
		var flat []float32
		for range n {
			length := rapid.Float32Range(.1, 10).Draw(t, "length")
			for _, x := range direction {
				flat = append(flat, length*x)
			}
		}
		var got float64
		err := torch.Run(func() error {
			got = conicity(torch.FromFloats(flat, 1, int64(n), int64(d))).Item()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-1) > 1e-5 {
			t.Fatalf("conicity %v, want 1", got)
		}
	})
}

// TestConicityCases checks that n orthonormal states have conicity 1/sqrt(n), which is the cosine
// of each state with the mean state, and that the sign of a cosine is ignored.
func TestConicityCases(t *testing.T) {
	parity.OnTorch(t, func() error {
		for n := 1; n <= 16; n++ {
			eye := make([]float32, n*n)
			for i := range n {
				eye[i*n+i] = 1
			}
			got, want := conicity(torch.FromFloats(eye, 1, int64(n), int64(n))).Item(), 1/math.Sqrt(float64(n))
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("%d orthonormal states: %v, want %v", n, got, want)
			}
		}
		// Sentence 1: states (3, 0), (-1, 0), (2, 0); mean (4, 0)/3; cosines 1, -1, 1.
		// Sentence 2: states (1, 0), (0, 1), (0, 1); mean (1, 2)/3; cosines 1/sqrt 5, 2/sqrt 5,
		// 2/sqrt 5.
		got := conicity(torch.FromFloats([]float32{3, 0, -1, 0, 2, 0, 1, 0, 0, 1, 0, 1}, 2, 3, 2)).Floats()
		for i, want := range []float64{1, math.Sqrt(5) / 3} {
			if math.Abs(float64(got[i])-want) > 1e-6 {
				t.Errorf("sentence %d: %v, want %v", i, got[i], want)
			}
		}
		return nil
	})
}
