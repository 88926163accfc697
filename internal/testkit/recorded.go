package testkit

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"
)

// Tolerance is the largest allowed difference between a float32 result and PyTorch's result on a
// CPU, relative to the largest magnitude in the tensor. Package torchtest raises Tolerance on a
// GPU.
var Tolerance = 1e-5

// Recorded is one file of testdata/parity: results of PyTorch, written by make.py.
type Recorded struct {
	Path   string
	t      testing.TB
	file   safetensors.SafeTensors
	worst  map[string]deviation // largest deviation of each kind of result: "expect", "grad", "loss", "final"
	unseen map[string]bool      // results not yet compared
}

type deviation struct {
	relative float64
	name     string
}

// OpenRecorded reads testdata/parity/name.safetensors. At the end of the test, the largest
// deviation of each kind of result is logged, and the test fails if a recorded result was not
// compared.
func OpenRecorded(t testing.TB, name string) *Recorded {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(here), "..", "..", "testdata", "parity", name+".safetensors")
	file := OpenTensors(t, path)
	r := &Recorded{Path: path, t: t, file: file, worst: map[string]deviation{}, unseen: map[string]bool{}}
	for _, n := range file.Names() {
		if kind, _, ok := strings.Cut(n, "."); ok &&
			slices.Contains([]string{"expect", "grad", "loss", "final"}, kind) {
			r.unseen[n] = true
		}
	}
	t.Cleanup(r.finish)
	return r
}

// OpenTensors reads a safetensors file.
func OpenTensors(t testing.TB, path string) safetensors.SafeTensors {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return file
}

// CopyEncoder copies the folder of a pretrained encoder to a new folder and renames the tensors in
// the file of weights. Tensors that are renamed to "" are left out.
func CopyEncoder(t testing.TB, from string, rename func(name string) string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.safetensors")
	kept := map[string]safetensors.TensorView{}
	for _, tensor := range OpenTensors(t, path).Tensors() {
		if name := rename(tensor.Name); name != "" {
			kept[name] = tensor.TensorView
		}
	}
	raw, err := safetensors.Serialize(kept, nil)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (r *Recorded) finish() {
	for kind, d := range r.worst {
		r.t.Logf(
			"%s: largest deviation of %s: %.1e of the tensor's largest magnitude, in %s", filepath.Base(r.Path), kind,
			d.relative, d.name,
		)
	}
	if !r.t.Failed() {
		for n := range r.unseen {
			r.t.Errorf("%s is recorded but was not compared", n)
		}
	}
}

func (r *Recorded) data(name string, dtype safetensors.DType) []byte {
	r.t.Helper()
	view, ok := r.file.Tensor(name)
	if !ok || view.DType() != dtype {
		// Fatalf would end this goroutine, which may be the goroutine of the torch thread.
		r.t.Errorf("%s holds no %v tensor %q", r.Path, dtype, name)
		return nil
	}
	return view.Data()
}

// Floats returns the elements of a float32 tensor in row-major order.
func (r *Recorded) Floats(name string) []float32 {
	raw := r.data(name, safetensors.F32)
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// Rows returns the rows of an integer matrix. A vector counts as one row.
func (r *Recorded) Rows(name string) [][]int64 {
	raw := r.data(name, safetensors.I64)
	flat := make([]int64, len(raw)/8)
	for i := range flat {
		flat[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	view, _ := r.file.Tensor(name)
	if shape := view.Shape(); len(shape) == 2 {
		return slices.Collect(slices.Chunk(flat, int(shape[1])))
	}
	return [][]int64{flat}
}

// Styles returns the recorded tensor "input.styles".
func (r *Recorded) Styles() []int {
	var out []int
	for _, s := range r.Rows("input.styles")[0] {
		out = append(out, int(s))
	}
	return out
}

// Same compares integer rows with the tensor recorded under name, whose rows are padded with 0.
func (r *Recorded) Same(name string, got [][]int64) {
	r.t.Helper()
	want := r.Rows(name)
	delete(r.unseen, name)
	if len(got) != len(want) {
		r.t.Errorf("%s: %d rows, PyTorch has %d", name, len(got), len(want))
		return
	}
	for i, row := range got {
		n := min(len(row), len(want[i]))
		if !slices.Equal(row, want[i][:n]) || slices.ContainsFunc(want[i][n:], func(x int64) bool { return x != 0 }) {
			r.t.Errorf("%s: row %d is %v, PyTorch has %v", name, i, row, want[i])
		}
	}
}

// Near compares got with the tensor recorded under name. It ignores element i if the function skip
// returns true for i.
func (r *Recorded) Near(name string, got []float32, skip ...func(i int) bool) {
	r.t.Helper()
	want := r.Floats(name)
	delete(r.unseen, name)
	if len(got) != len(want) {
		r.t.Errorf("%s: %d elements, PyTorch has %d", name, len(got), len(want))
		return
	}
	var largest, off float64
	at := 0
	for i, w := range want {
		if slices.ContainsFunc(skip, func(f func(int) bool) bool { return f(i) }) {
			continue
		}
		largest = max(largest, math.Abs(float64(w)))
		// A comparison with a NaN is always false, so NaNs need a test of their own.
		if d := math.Abs(float64(got[i]) - float64(w)); d > off || math.IsNaN(d) {
			off, at = d, i
			if math.IsNaN(d) {
				break
			}
		}
	}
	relative := off
	if largest > 0 {
		relative /= largest
	}
	kind, _, _ := strings.Cut(name, ".")
	if d, ok := r.worst[kind]; !ok || !(relative <= d.relative) {
		r.worst[kind] = deviation{relative, name}
	}
	if !(relative <= Tolerance) {
		r.t.Errorf(
			"%s: element %d is %v, PyTorch has %v: off by %.1e of the largest magnitude, %v", name, at, got[at],
			want[at], relative, largest,
		)
	}
}
