package torch

import (
	"math"
	"slices"
	"testing"
)

func TestTopKAndLogSoftmax(t *testing.T) {
	err := Run(func() error {
		x := FromFloats([]float32{1, 3, 2, 5, 4, 6}, 2, 3)
		values, indices := x.TopK(2)
		if got := values.Floats(); !slices.Equal(got, []float32{3, 2, 6, 5}) {
			t.Errorf("values %v", got)
		}
		if got := indices.Ints(); !slices.Equal(got, []int64{1, 2, 2, 0}) {
			t.Errorf("indices %v", got)
		}
		want := 3 - math.Log(math.Exp(1)+math.Exp(2)+math.Exp(3))
		if got := float64(x.LogSoftmax(1).Floats()[1]); math.Abs(got-want) > 1e-6 {
			t.Errorf("log softmax %v, by hand %v", got, want)
		}
		if got := x.Exp().Floats()[0]; math.Abs(float64(got)-math.E) > 1e-6 {
			t.Errorf("exp(1) = %v", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
