package torch

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	lib "github.com/sugarme/gotch/libtch"
)

// onCUDADevice runs fn on the torch thread. fn's tensors are created on the first CUDA device. If
// CUDA cannot be used, the test is skipped with the reason. To run these tests on a machine without
// Go, build them here with go test -c ./internal/torch, and run ./torch.test -test.run CUDA on that
// machine (bench/README.md).
func onCUDADevice(t *testing.T, fn func() error) {
	t.Helper()
	if err := SetDevice("cuda"); err != nil {
		if len(AskDriver().Devices) > 0 {
			if path, _ := LoadCUDA(); path != "" {
				t.Fatal(err) // CUDA must work if device and library exist
			}
		}
		t.Skip(err)
	}
	t.Cleanup(func() { _ = SetDevice("cpu") })
	onTorch(t, fn)
}

// twice runs fn on the CPU and on the CUDA device and compares the results. tolerance is the
// largest allowed difference, relative to the largest magnitude in a result.
func twice(t *testing.T, tolerance float64, fn func() map[string][]float32) {
	t.Helper()
	var want, got map[string][]float32
	if err := SetDevice("cpu"); err != nil {
		t.Fatal(err)
	}
	onTorch(t, func() error { want = fn(); return nil })
	onCUDADevice(t, func() error { got = fn(); return nil })
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d results on CUDA, %d on the CPU", len(got), len(want))
	}
	for name, w := range want {
		var largest, off float64
		for i := range w {
			largest, off = max(largest, math.Abs(float64(w[i]))), max(off, math.Abs(float64(got[name][i]-w[i])))
		}
		if !(off <= tolerance*largest) {
			t.Errorf("%s is off by %.1e of its largest magnitude, allowed %.0e", name, off/largest, tolerance)
		}
	}
}

// TestCUDADevice checks that tensors are created on the device and that their values can be read
// back.
func TestCUDADevice(t *testing.T) {
	onCUDADevice(t, func() error {
		if Device() != "cuda:0" || !OnCUDA() || GPU() == "" {
			t.Errorf("device %q, model %q", Device(), GPU())
		}
		t.Logf("%s, bfloat16 in hardware: %v", GPU(), HasBF16())
		ints := []int64{1, -2, 1 << 40}
		if got := FromInts(ints, 3).Ints(); fmt.Sprint(got) != fmt.Sprint(ints) {
			t.Errorf("ints %v came back as %v", ints, got)
		}
		for _, n := range []int64{0, 1, 1000, 1 << 22} { // 1 << 22 (16 MiB) does not go through pinned memory
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(i % 8191)
			}
			if !sameBits(FromFloats(x, n).Floats(), x) {
				t.Errorf("%d floats came back otherwise", n)
			}
		}
		if got := Zeros(2, 3).Add(Ones(3)).Sum().Item(); got != 6 {
			t.Errorf("the sum of six ones is %v", got)
		}
		if !bytes.Equal(fromSlice([]byte{1, 255}, Uint8, []int64{2}).Bytes(), []byte{1, 255}) {
			t.Error("bytes came back otherwise")
		}
		return nil
	})
}

// TestCUDAUploadsInARow checks many uploads to the device in a row. libtorch must not reuse the
// pinned memory of an upload before the device has copied its content.
func TestCUDAUploadsInARow(t *testing.T) {
	onCUDADevice(t, func() error {
		busy := randn(2048, 2048)
		for range 20 {
			busy = busy.MatMul(busy).Scale(1e-3) // the copies below wait in the queue until these products are computed
		}
		var ts []*Tensor
		buffer := make([]int64, 3000)
		for i := range 200 {
			for k := range buffer {
				buffer[k] = int64(i*len(buffer) + k)
			}
			ts = append(ts, FromInts(buffer, int64(len(buffer))))
		}
		for i, x := range ts {
			got := x.Ints()
			if got[0] != int64(i*len(buffer)) || got[len(got)-1] != int64((i+1)*len(buffer)-1) {
				t.Errorf("upload %d holds %d ... %d", i, got[0], got[len(got)-1])
			}
		}
		return nil
	})
}

// TestCUDASameInitialWeights checks that a seed draws the same weights on every device, bit by bit.
func TestCUDASameInitialWeights(t *testing.T) {
	draws := func() (u, n []float32) { Seed(3); return Uniform(-.3, .3, 1000).Floats(), randn(1000).Floats() }
	var u, n []float32
	onTorch(t, func() error { u, n = draws(); return nil })
	onCUDADevice(t, func() error {
		gotU, gotN := draws()
		if !sameBits(u, gotU) || !sameBits(n, gotN) {
			t.Error("the draws differ from the CPU's")
		}
		return nil
	})
}

// TestCUDARNGState checks that dropout draws the same mask after the generator's state is restored.
// The state of a CPU's generator must be refused.
func TestCUDARNGState(t *testing.T) {
	var cpu []byte
	onTorch(t, func() error { cpu = RNGState(); return nil })
	onCUDADevice(t, func() error {
		drop := func() []float32 { return Ones(1000).Dropout(.5, true).Floats() }
		Seed(1)
		first := drop()
		Seed(1)
		state := RNGState()
		if !sameBits(drop(), first) {
			t.Error("the seed does not reach the device's generator")
		}
		if sameBits(drop(), first) {
			t.Error("two draws are equal")
		}
		SetRNGState(state)
		if !sameBits(drop(), first) {
			t.Error("a restored state gives another draw")
		}
		wantOpError(t, Scoped(func() error { SetRNGState(cpu); return nil }), "set rng state", "another kind of device")
		return nil
	})
}

// TestCUDAFloat32IsWhole checks that products do not use TF32. A product of 512 terms has an error
// of about 1e-4 of its largest element with the 10 bits of TF32, and of 1e-7 with the 23 bits of
// float32.
func TestCUDAFloat32IsWhole(t *testing.T) {
	twice(t, 1e-5, func() map[string][]float32 {
		Seed(1)
		return map[string][]float32{"product": randn(64, 512).MatMul(randn(512, 512)).Floats()}
	})
}

// TestCUDAOps compares softmax, layer norm, losses, attention and their gradients on the device
// with those on the CPU.
func TestCUDAOps(t *testing.T) {
	twice(t, 1e-4, func() map[string][]float32 {
		Seed(1)
		out := map[string][]float32{}
		x := randn(64, 512).Leaf()
		w := randn(512, 512).Scale(.05)
		h := x.AddNorm(x.LinearRelu(w, Ones(512), 0), Ones(512), Zeros(512), 0, 1e-5)
		ids := make([]int64, 64)
		for i := range ids {
			ids[i] = int64(i * 7 % 512)
		}
		targets := FromInts(ids, 64)
		loss := CrossEntropy(h.Linear(w, nil), targets, ReduceMean).Add(VocabLoss(h, w, Ones(512), targets, ReduceMean))
		out["loss"] = loss.Floats()
		out["gradient"] = Gradient(loss, x).Floats()
		out["embedding"] = Embed(w, FromInts(ids, 8, 8)).Softmax(-1).Floats()
		q := randn(2, 16, 96).Leaf()
		out["cross-attention"] = CrossAttention(q.Narrow(2, 0, 32), q.Narrow(2, 32, 64), 4, 0).Floats()
		for _, causal := range []bool{false, true} {
			a := SelfAttention(q, 4, causal, 0)
			out[fmt.Sprint("attention, causal ", causal)] = a.Floats()
			out[fmt.Sprint(
				"gradient of attention, causal ", causal,
			)] = Gradient(a.Mul(a).Sum(), q).Floats()
		}
		return out
	})
}

// TestCUDALSTM compares cuDNN's LSTM with the LSTM on the CPU, for both directions, with and
// without gradients. The weights must keep their values when cuDNN packs them.
func TestCUDALSTM(t *testing.T) {
	twice(t, 3e-5, func() map[string][]float32 {
		Seed(2)
		out := map[string][]float32{}
		var ws []*Tensor
		for range 2 {
			for _, shape := range [][]int64{{128, 24}, {128, 32}, {128}, {128}} {
				w := Param(Uniform(-.2, .2, shape...))
				defer w.Free()
				ws = append(ws, w)
			}
		}
		x := randn(5, 9, 24).Leaf()
		for _, round := range []string{"first", "second"} {
			states, last := LSTM(x, ws)
			states.Mul(states).Sum().Add(last.Sum()).Backward()
			out[round+" states"], out[round+" last"] = states.Floats(), last.Floats()
			for i, w := range ws {
				out[fmt.Sprintf("%s weight %d", round, i)] = w.Floats()
				out[fmt.Sprintf("%s gradient %d", round, i)] = w.Grad().Floats()
			}
			ZeroGrad(ws)
		}
		_ = NoGrad(func() error { s, _ := LSTM(x, ws); out["without gradients"] = s.Floats(); return nil })
		return out
	})
}

// TestCUDAAdam compares the fused kernel with our kernel on the CPU, with and without clipping.
// After several steps, the parameters and their moments must agree. The tolerance is 2e-5, because
// the fused kernel computes 1 - beta2 in float32, which has an error of 1.3e-5 for .999.
func TestCUDAAdam(t *testing.T) {
	for _, clip := range []float64{0, 1e-3, 1e9} {
		t.Run(fmt.Sprintf("clip=%v", clip), func(t *testing.T) {
			twice(t, 2e-5, func() map[string][]float32 {
				rng := rand.New(rand.NewPCG(1, 2))
				sizes := []int64{1, 7, 1000, 70001}
				var ps, ms, vs []*Tensor
				for _, n := range sizes {
					ps = append(ps, Param(FromFloats(draw(rng, int(n), 1), n)))
					defer ps[len(ps)-1].Free()
					ms, vs = append(ms, Zeros(n)), append(vs, Zeros(n))
				}
				out := map[string][]float32{}
				for step := 1; step <= 5; step++ {
					for i, n := range sizes {
						ps[i].Mul(FromFloats(draw(rng, int(n), 1), n)).Sum().Backward()
					}
					adam := AdamStep
					if OnCUDA() {
						adam = lazyAdam
					}
					norm, bad := adam(ps, ms, vs, .01, .5, .999, 1e-8, step, clip)
					if bad != -1 {
						t.Errorf("step %d: parameter %d is bad", step, bad)
					}
					out[fmt.Sprint("norm ", step)] = []float32{float32(norm)}
					ZeroGrad(ps)
				}
				for i := range sizes {
					out[fmt.Sprint("p", i)], out[fmt.Sprint("m", i)] = ps[i].Floats(), ms[i].Floats()
					out[fmt.Sprint("v", i)] = vs[i].Floats()
				}
				return out
			})
		})
	}
}

// TestCUDASearch compares Attend, ForwardRelu, Likeliest and MeanCosine with their results on the
// CPU.
func TestCUDASearch(t *testing.T) {
	twice(t, 1e-4, func() map[string][]float32 {
		Seed(5)
		q, kv, w, b := randn(3, 8), randn(6, 16), randn(50, 8), randn(50)
		spans := Spans{Slots: []int32{0, 2, 4, 5, 1, 3}, Start: []int32{0, 2, 3}, Length: []int32{2, 1, 3}}
		out := map[string][]float32{
			"slots":   Attend(q, kv, 2, spans, false).Floats(),
			"rows":    Attend(q, kv, 2, Spans{Start: spans.Start, Length: spans.Length}, false).Floats(),
			"cosines": MeanCosine(randn(3, 5, 4)).Floats(),
		}
		p := Pack(w, b, Packing{Rows: 4})
		out["relu"] = p.ForwardRelu(q).Floats()
		for i, row := range p.Likeliest(q, []int64{7, 3, 49}, 2, 4, 3, true) {
			if i >= 2 { // after the first two rows, Likeliest sets only the last number
				row = row[len(row)-1:]
			}
			out[fmt.Sprint("row ", i)] = row
		}
		return out
	})
}

// TestCUDAAdamRefusesNonFinite checks that a non-finite gradient changes nothing, and that the
// first parameter with such a gradient is returned.
func TestCUDAAdamRefusesNonFinite(t *testing.T) {
	for _, clip := range []float64{0, 1} {
		onCUDADevice(t, func() error {
			refuseNonFinite(t, lazyAdam, clip)
			return nil
		})
	}
}

// TestCUDAAutocast checks that the loss of a training run in bfloat16 falls as it does in float32,
// and that the parameters stay float32.
func TestCUDAAutocast(t *testing.T) {
	onCUDADevice(t, func() error {
		losses := map[bool][]float64{}
		for _, bf16 := range []bool{false, true} {
			Seed(4)
			w := Param(Uniform(-.1, .1, 64, 64))
			defer w.Free()
			m, v := Zeros(64, 64), Zeros(64, 64)
			x, want := randn(256, 64), randn(256, 64)
			for step := 1; step <= 30; step++ {
				var y *Tensor
				Autocast(bf16, func() { y = x.Linear(w, nil) })
				if got := y.DType(); (got == BFloat16) != bf16 {
					t.Errorf("autocast %v: the product is %v", bf16, got)
				}
				d := y.To(Float).Sub(want)
				loss := d.Mul(d).Mean()
				loss.Backward()
				AdamStepLazy([]*Tensor{w}, []*Tensor{m}, []*Tensor{v}, .01, .9, .999, 1e-8, step, 1)
				ZeroGrad([]*Tensor{w})
				losses[bf16] = append(losses[bf16], loss.Item())
			}
			if w.DType() != Float {
				t.Errorf("the weights are %v", w.DType())
			}
		}
		a, b := losses[false], losses[true]
		if last := len(a) - 1; !(b[last] < .9*b[0]) || math.Abs(a[last]-b[last]) > .02*a[last] {
			t.Errorf("float32 went from %.4f to %.4f, bfloat16 from %.4f to %.4f", a[0], a[last], b[0], b[last])
		}
		return nil
	})
}

// libtorchLinear is Linear by libtorch's own operation.
func libtorchLinear(x, w, b *Tensor) *Tensor {
	var out handle
	bias := lib.AtNewTensor()
	defer lib.AtFree(bias)
	if b != nil {
		bias = b.ptr("linear")
	}
	lib.AtgLinear(&out, x.ptr("linear"), w.ptr("linear"), bias)
	check("linear", x, w)
	return adopt(out)
}

// TestCUDAHalfLinear checks that under autocast, our linear layer, our vocabulary loss and their
// gradients agree with libtorch's operations.
func TestCUDAHalfLinear(t *testing.T) {
	found := map[bool]map[string][]float32{}
	for _, own := range []bool{false, true} {
		onCUDADevice(t, func() error {
			Seed(6)
			x, w, b := randn(3, 7, 64).Leaf(), randn(96, 64).Scale(.1).Leaf(), randn(96).Leaf()
			v, c := randn(50, 96).Scale(.1).Leaf(), randn(50).Leaf()
			var loss *Tensor
			Autocast(true, func() {
				linear := libtorchLinear
				if own {
					linear = (*Tensor).Linear
				}
				h := linear(linear(linear(x, w, b), w.Transpose(0, 1), nil), w, nil)
				if h.DType() != BFloat16 {
					t.Errorf("own %v: the layers return %v", own, h.DType())
				}
				targets := FromInts([]int64{0, 7, 49, 3, 3, 12, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 21)
				if h = h.Reshape(-1, 96); own {
					loss = VocabLoss(h, v, c, targets, ReduceMean)
				} else {
					loss = CrossEntropy(libtorchLinear(h, v, c), targets, ReduceMean)
				}
			})
			out := map[string][]float32{"loss": loss.Floats()}
			names := []string{"x", "w", "b", "v", "c"}
			for i, g := range grads([]*Tensor{loss}, []*Tensor{x, w, b, v, c}) {
				if g.DType() != Float {
					t.Errorf("own %v: the gradient of %s is %v", own, names[i], g.DType())
				}
				out[names[i]] = g.Floats()
			}
			found[own] = out
			return nil
		})
	}
	for name, want := range found[false] {
		var largest, off float64
		for i, w := range want {
			largest, off = max(largest, math.Abs(float64(w))), max(off, math.Abs(float64(found[true][name][i]-w)))
		}
		// bfloat16 has 8 bits, and our operations do not round at the same points as libtorch's.
		if !(off <= 1e-2*largest) {
			t.Errorf("%s is off by %.1e of its largest magnitude", name, off/largest)
		}
	}
}

// TestCUDAIndexOutOfRange checks that an id outside the table gives an error, and that the device
// still works afterwards.
func TestCUDAIndexOutOfRange(t *testing.T) {
	onCUDADevice(t, func() error {
		table := Ones(5, 3)
		for name, fn := range map[string]func(id int64){
			"embedding":       func(id int64) { Embed(table, FromInts([]int64{0, id}, 1, 2)) },
			"rows":            func(id int64) { table.Rows(FromInts([]int64{id}, 1)) },
			"cross entropy":   func(id int64) { CrossEntropy(Ones(1, 5), FromInts([]int64{id}, 1), ReduceMean) },
			"vocabulary loss": func(id int64) { VocabLoss(Ones(1, 3), table, Ones(5), FromInts([]int64{id}, 1), ReduceMean) },
		} {
			for _, id := range []int64{-1, 5} {
				err := Scoped(func() error { fn(id); return nil })
				wantOpError(t, err, name, fmt.Sprintf("index out of range: %d of 5", id))
			}
		}
		if got := table.Sum().Item(); got != 15 {
			t.Errorf("the sum of 15 ones is %v", got)
		}
		return nil
	})
}
