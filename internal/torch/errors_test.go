package torch

import (
	"reflect"
	"strings"
	"testing"
)

func TestOpErrors(t *testing.T) {
	before := liveNow(t)
	for _, c := range []struct {
		op     string
		shapes [][]int64
		text   string // part of libtorch's or our own message
		fn     func()
	}{
		{"matmul", [][]int64{{2, 3}, {2, 3}}, "shapes cannot be multiplied", func() { Ones(2, 3).MatMul(Ones(2, 3)) }},
		{"add", [][]int64{{2}, {3}}, "must match", func() { Ones(2).Add(Ones(3)) }},
		{"reshape", [][]int64{{2, 3}}, "invalid for input of size 6", func() { Ones(2, 3).Reshape(4, 2) }},
		{"embedding", [][]int64{{5, 2}, {1}}, "out of range", func() { Embed(Ones(5, 2), FromInts([]int64{5}, 1)) }},
		{
			"cross entropy",
			[][]int64{{1, 2}, {1}},
			"out of bounds",
			func() { CrossEntropy(Ones(1, 2), FromInts([]int64{2}, 1), ReduceMean) },
		},
		{"select", [][]int64{{2, 2}}, "out of range", func() { Ones(2, 2).entry(1, 2) }},
		{"narrow", [][]int64{{4}}, "exceeds dimension", func() { Ones(4).Narrow(0, 2, 3) }},
		{"rows", [][]int64{{2, 2}, {1}}, "out of range", func() { Ones(2, 2).Rows(FromInts([]int64{7}, 1)) }},
		{"cat", [][]int64{{2, 2}, {2, 3}}, "must match", func() { Cat(0, Ones(2, 2), Ones(2, 3)) }},
		{
			"linear",
			[][]int64{{1, 3}, {4, 2}},
			"x has 3 features, the weights want 2",
			func() { Ones(1, 3).Linear(Ones(4, 2), nil) },
		},
		{
			"layer norm",
			[][]int64{{2, 3}, {4}, {4}},
			"normalized_shape=[4]",
			func() { Ones(2, 3).AddNorm(Ones(2, 3), Ones(4), Ones(4), 0, 1e-5) },
		},
		{"lstm", [][]int64{{1, 2, 3}, {8, 4}, {8, 2}, {8}, {8}}, "weight 0 is [8, 4], not 8 3", func() {
			LSTM(Ones(1, 2, 3), []*Tensor{Ones(8, 4), Ones(8, 2), Ones(8), Ones(8)})
		}},
		{
			"narrow",
			[][]int64{{1, 2, 6}},
			"exceeds dimension",
			func() { CrossAttention(Ones(1, 2, 4), Ones(1, 2, 6), 1, 0) },
		},
		{
			"reshape",
			[][]int64{{1, 2, 4}},
			"invalid for input of size 8",
			func() { SelfAttention(Ones(1, 2, 12), 3, false, 0) },
		},
		{"vocabulary loss", [][]int64{{1, 2}, {3, 2}, {3}, {1}}, "index out of range: -1 of 3", func() {
			VocabLoss(Ones(1, 2), Ones(3, 2), Ones(3), FromInts([]int64{-1}, 1), ReduceMean)
		}},
		{"set", [][]int64{{2}, {3}}, "must match", func() { Ones(2).Set(Ones(3)) }},
		{"backward", [][]int64{{}}, "does not require grad", func() { Ones(2).Sum().Backward() }},
		{"item", [][]int64{{2}}, "wants one element", func() { Ones(2).Item() }},
		{
			"from slice",
			[][]int64{{2, 2}},
			"shape and number of elements differ",
			func() { FromFloats([]float32{1, 2, 3}, 2, 2) },
		},
		{"zeros", nil, "negative", func() { Zeros(-1) }},
		{"set rng state", nil, "", func() { SetRNGState([]byte{1, 2, 3}) }},
	} {
		e := wantOpError(t, Run(func() error { c.fn(); return nil }), c.op, c.text)
		if e != nil && !reflect.DeepEqual(e.Shapes, c.shapes) {
			t.Errorf("%s: shapes %v, want %v", c.op, e.Shapes, c.shapes)
		}
	}
	if now := liveNow(t); now != before {
		t.Errorf("%d handles alive after failures, %d before", now, before)
	}
}

// TestErrorIsNotLeftBehind checks that an operation does not report the failure of an earlier one.
func TestErrorIsNotLeftBehind(t *testing.T) {
	onTorch(t, func() error {
		wantOpError(t, Scoped(func() error { Ones(2).Add(Ones(3)); return nil }), "add", "")
		if got := Ones(2).Add(Ones(2)).Floats(); got[0] != 2 {
			t.Errorf("1+1 = %v", got[0])
		}
		return nil
	})
}

func TestErrorText(t *testing.T) {
	e := &OpError{Op: "add", Shapes: [][]int64{{2}, {3, 1}}, Text: "no"}
	if got, want := e.Error(), "torch add[[2] [3 1]]: no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for text, asked := range map[string]string{
		// the message of libtorch 2.11
		"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total": "2.00 GiB",
	} {
		e := &OpError{Op: "rand", Text: text}
		if got := e.Error(); !strings.Contains(got, "not enough memory: torch rand asked for "+asked+": lower") {
			t.Errorf("%q is said to be %q", text, got)
		}
	}
}

// TestProbablyMemory checks the message for the error that oneDNN returns when memory is exhausted.
// oneDNN's error does not mention memory, but our message must.
func TestProbablyMemory(t *testing.T) {
	e := &OpError{Op: "linear", Shapes: [][]int64{{2, 3}}, Text: "could not execute a primitive"}
	want := `there is probably not enough memory: torch linear[[2 3]] says "could not execute a primitive": lower batch_tokens`
	if got := e.Error(); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
}

// TestTooLarge checks that a tensor larger than the memory of any machine gives a one-sentence
// error, however libtorch words it.
func TestTooLarge(t *testing.T) {
	err := Run(func() error { Ones(1<<21, 1<<21, 1<<10); return nil })
	if err == nil || !strings.Contains(err.Error(), "there is not enough memory: torch ones asked for 18014398509481984 bytes") {
		t.Errorf("error %v", err)
	}
}
