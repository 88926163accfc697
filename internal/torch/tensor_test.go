package torch

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSlicesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var floats []float32 // with any bits, including those of NaN
		for _, b := range rapid.SliceOfN(rapid.Uint32(), 0, 30).Draw(t, "bits") {
			floats = append(floats, math.Float32frombits(b))
		}
		ints := rapid.SliceOfN(rapid.Int64(), 0, 30).Draw(t, "ints")
		raw := rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "bytes")
		err := Run(func() error {
			if got := FromFloats(floats, int64(len(floats)), 1).Floats(); !sameBits(got, floats) {
				t.Errorf("floats %v came back as %v", floats, got)
			}
			if got := FromInts(ints, 1, int64(len(ints))).Ints(); !slices.Equal(got, ints) {
				t.Errorf("ints %v came back as %v", ints, got)
			}
			if got := fromSlice(raw, Uint8, []int64{int64(len(raw))}).Bytes(); !bytes.Equal(got, raw) {
				t.Errorf("bytes %v came back as %v", raw, got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestSlicesAreCopies(t *testing.T) {
	onTorch(t, func() error {
		data := []float32{1, 2, 3, 4, 5, 6}
		x := FromFloats(data, 2, 3)
		data[0] = 9
		got := x.Floats()
		got[1] = 9
		if !slices.Equal(x.Floats(), []float32{1, 2, 3, 4, 5, 6}) {
			t.Errorf("the tensor shares memory with a slice: %v", x.Floats())
		}
		if got := x.Transpose(0, 1).Floats(); !slices.Equal(got, []float32{1, 4, 2, 5, 3, 6}) {
			t.Errorf("a transposed view reads as %v", got)
		}
		c := x.Copy()
		c.Set(Zeros(2, 3))
		if x.Floats()[5] != 6 {
			t.Error("Copy shares memory")
		}
		if got := FromFloats([]float32{2.7, -1.2}, 2).Ints(); !slices.Equal(got, []int64{2, -1}) {
			t.Errorf("floats as ints: %v", got)
		}
		if s := FromFloats([]float32{7}); s.Item() != 7 || len(s.Shape()) != 0 {
			t.Errorf("a scalar is %v of shape %v", s.Item(), s.Shape())
		}
		return nil
	})
}

func TestShapes(t *testing.T) {
	onTorch(t, func() error {
		x := Ones(2, 3, 4)
		if x.Size(-1) != 4 || x.Size(0) != 2 || x.Numel() != 24 || x.DType() != Float {
			t.Errorf("shape %v, %d elements, dtype %d", x.Shape(), x.Numel(), x.DType())
		}
		if !x.Finite() || FromFloats([]float32{1, float32(math.NaN())}, 2).Finite() ||
			FromFloats([]float32{float32(math.Inf(-1))}, 1).Finite() {
			t.Error("Finite is wrong")
		}
		u := Uniform(-2, 3, 5000).Floats()
		if lo, hi := slices.Min(u), slices.Max(u); lo < -2 || lo > -1.9 || hi >= 3 || hi < 2.9 {
			t.Errorf("5000 draws from [-2, 3) lie in [%v, %v]", lo, hi)
		}
		return nil
	})
}

func TestRNGState(t *testing.T) {
	onTorch(t, func() error {
		Seed(5)
		first := randn(7).Floats()
		// Normal draws are made in pairs. Drawing one number leaves half a pair, which the state
		// must include.
		_ = randn(1)
		state := RNGState()
		a, dropped := randn(33).Floats(), Ones(50).Dropout(.5, true).Floats()
		SetRNGState(state)
		if b := randn(33).Floats(); !sameBits(a, b) {
			t.Error("draws differ after the state was restored")
		}
		if b := Ones(50).Dropout(.5, true).Floats(); !sameBits(dropped, b) {
			t.Error("dropout differs after the state was restored")
		}
		Seed(5)
		if !sameBits(first, randn(7).Floats()) {
			t.Error("the same seed gives other draws")
		}
		Seed(6)
		if sameBits(first, randn(7).Floats()) {
			t.Error("another seed gives the same draws")
		}
		return nil
	})
}

func TestDropout(t *testing.T) {
	onTorch(t, func() error {
		Seed(1)
		x := Ones(10000)
		if x.Dropout(.3, false) != x || x.Dropout(0, true) != x {
			t.Error("dropout outside training, or of 0, does something")
		}
		kept := 0
		for _, v := range x.Dropout(.3, true).Floats() {
			if v != 0 {
				kept++
				if !near(float64(v), 1/.7, 1e-6) {
					t.Errorf("a kept 1 is %v, want 1/0.7", v)
					break
				}
			}
		}
		if kept < 6800 || kept > 7200 { // the expected number is 7000, with a standard deviation of 46
			t.Errorf("%d of 10000 kept at p = 0.3", kept)
		}
		return nil
	})
}

// TestMax checks that the maximum is the largest element of each row or column. The gradient goes
// to that element, and equal largest elements share it.
func TestMax(t *testing.T) {
	onTorch(t, func() error {
		x := FromFloats([]float32{1, 5, 2, -3, -4, -3}, 2, 3).Leaf()
		y := x.Max(1)
		if got := y.Floats(); !slices.Equal(got, []float32{5, -3}) || len(y.Shape()) != 1 {
			t.Errorf("the rows' largest are %v, of shape %v", got, y.Shape())
		}
		if got := x.Max(0).Floats(); !slices.Equal(got, []float32{1, 5, 2}) {
			t.Errorf("the columns' largest are %v", got)
		}
		g := Gradient(y.Mul(FromFloats([]float32{2, 8}, 2)), x).Floats()
		if !slices.Equal(g, []float32{0, 2, 0, 4, 0, 4}) {
			t.Errorf("the gradient is %v", g)
		}
		return nil
	})
}
