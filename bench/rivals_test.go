package main

import (
	"io"
	"slices"
	"testing"
)

// took is a row whose sides took so many seconds.
func took(sides []side, seconds ...float64) *row {
	r := &row{}
	for i, s := range sides {
		r.Sides = append(r.Sides, measured{side: s, Steps: []int{1}, Runs: []reply{{Seconds: seconds[i]}}})
	}
	return r
}

// TestForms: the other side comes in every form, each of them once, and the fastest is the rival:
// of ours in float32 the fastest in float32.
func TestForms(t *testing.T) {
	b := &bench{out: io.Discard, options: options{newer: "python"}}
	b.report.Machine = hardware{Ours: reply{BF16: true}, Newer: reply{Torch: "2.11.0"}}
	all := b.forms(paperSizes("smlm", 100))
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	want := []string{
		plainFP32, oursFP32, oursBF16, plainBF16, plainFP32 + compiled, plainBF16 + compiled,
		plainFP32 + ", PyTorch 2.11.0", plainFP32 + ", PyTorch 2.11.0, fused Adam",
	}
	for _, name := range want {
		if n := len(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s != name })); n != 1 {
			t.Errorf("%q is there %d times: %q", name, n, names)
		}
	}
	if len(all) != 14 { // ours twice; four of an older PyTorch, eight of the newer one
		t.Errorf("%d sides: %q", len(all), names)
	}
	seconds := make([]float64, len(all))
	for i, s := range all {
		seconds[i] = 9
		switch {
		case !s.Plain:
			seconds[i] = .1
		case s.Name == plainFP32+compiled:
			seconds[i] = 3
		case s.Name == plainBF16:
			seconds[i] = 2
		}
	}
	r := took(all, seconds...)
	if got := r.Sides[r.strongest(false)].Name; got != plainFP32+compiled {
		t.Errorf("the rival in float32 is %q", got)
	}
	if got := r.Sides[r.strongest(true)].Name; got != plainBF16 {
		t.Errorf("the rival in any precision is %q", got)
	}
	b.report.Machine, b.newer = hardware{}, ""
	masked := paperSizes("smlm", 100)
	masked.MaskedOnly = true
	names = nil
	for _, s := range b.forms(masked) {
		names = append(names, s.Name)
	}
	want = []string{plainAll, oursFP32, plainMasked, plainAll + compiled, plainMasked + compiled}
	if !slices.Equal(names, want) {
		t.Errorf("of masked words: %q", names)
	}
}

// TestEqualWeights: both sides of a case load the same files, which are written once a shape.
func TestEqualWeights(t *testing.T) {
	b := testBench(t, 1)
	c := tiny(paperSizes("smlm-ft", 0))
	var err error
	if c.Data, err = b.write("data", synthetic(20, reviews, 200, 1)); err != nil {
		t.Fatal(err)
	}
	one, err := b.equal(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Padded, c.LR = true, 1
	again, err := b.equal(t.Context(), c)
	if err != nil || !slices.Equal(one.Weights, again.Weights) || len(one.Weights) != 2 {
		t.Errorf("weights %q and %q (%v)", one.Weights, again.Weights, err)
	}
	c.SMLM.FF++
	if other, err := b.equal(t.Context(), c); err != nil || slices.Equal(one.Weights, other.Weights) {
		t.Errorf("of another shape %q (%v)", other.Weights, err)
	}
}
