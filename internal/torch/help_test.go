package torch

import (
	"errors"
	"math"
	"strings"
	"testing"

	lib "github.com/sugarme/gotch/libtch"
)

// onTorch runs fn on the torch thread. fn must not end the test with Fatal, because that would end
// the torch thread's goroutine.
func onTorch(t *testing.T, fn func() error) {
	t.Helper()
	if err := Run(fn); err != nil {
		t.Fatal(err)
	}
}

// needBF16 skips a test if the machine cannot multiply bfloat16.
func needBF16(t *testing.T) {
	t.Helper()
	if why := WhyNoBF16(); why != "" {
		t.Skip(why)
	}
}

// randn returns a Float tensor of standard normal draws. A seed gives the same numbers on every
// device.
func randn(shape ...int64) *Tensor { return filledOn(onCPU, lib.AtgRandn, "randn", shape).move() }

// grads returns d sum(outputs) / d input for each input. Inputs are leaves.
func grads(outputs, inputs []*Tensor) []*Tensor {
	sum := outputs[0].Sum()
	for _, y := range outputs[1:] {
		sum = sum.Add(y.Sum())
	}
	sum.Backward()
	found := make([]*Tensor, len(inputs))
	for i, x := range inputs {
		if found[i] = x.Grad(); found[i] == nil {
			found[i] = Zeros(x.Shape()...)
		}
	}
	ZeroGrad(inputs)
	return found
}

// entry returns entry i of dimension dim. The result lacks this dimension.
func (t *Tensor) entry(dim, i int64) *Tensor {
	return unary("select", func(o *handle, h handle) { lib.AtgSelect(o, h, dim, i) }, t)
}

// logSoftmax returns the logarithm of Softmax, as Float.
func (t *Tensor) logSoftmax(dim int64) *Tensor {
	return unary("log softmax", func(o *handle, h handle) { lib.AtgLogSoftmax(o, h, dim, int32(Float)) }, t)
}

// liveNow returns the number of tensor handles that are not freed.
func liveNow(t *testing.T) (n int) {
	t.Helper()
	onTorch(t, func() error { n = LiveHandles(); return nil })
	return n
}

// wantOpError fails the test unless err is an *OpError of the operation op and its text contains
// text.
func wantOpError(t *testing.T, err error, op, text string) *OpError {
	t.Helper()
	var e *OpError
	if !errors.As(err, &e) {
		t.Errorf("%s: error %v, want an *OpError", op, err)
		return nil
	}
	if e.Op != op || !strings.Contains(e.Text, text) {
		t.Errorf("error of %q: %q, want %q: …%s…", e.Op, e.Text, op, text)
	}
	if strings.Contains(e.Text, "Exception raised") || strings.TrimSpace(e.Text) == "" {
		t.Errorf("%s: the text is empty or holds a C++ stack trace: %q", op, e.Text)
	}
	return e
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b), 1e-30)
}

// sameBits reports whether two slices are equal bit by bit, so that equal NaNs count as equal.
func sameBits(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}
