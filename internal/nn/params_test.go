package nn

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

func TestTensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	onTorch(t, func() error {
		data := []float32{
			1, float32(math.NaN()), float32(math.Inf(-1)), math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1)),
			6,
		}
		names := []string{"a", "one", "transposed"}
		wrote := []*torch.Tensor{
			torch.FromFloats(data, 2, 3), torch.FromFloats(data[:1], 1), torch.FromFloats(data, 2, 3).Transpose(0, 1),
		}
		if err := saveTensors(path, names, wrote); err != nil {
			return err
		}
		read := []*torch.Tensor{torch.Zeros(2, 3), torch.Zeros(1), torch.Zeros(3, 2)}
		if err := loadTensors(path, names, read); err != nil {
			return err
		}
		for i := range names {
			if !reflect.DeepEqual(bits(read[i]), bits(wrote[i])) {
				t.Errorf("%s: wrote %v, read %v", names[i], wrote[i].Floats(), read[i].Floats())
			}
		}
		return nil
	})
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.safetensors")
	onTorch(t, func() error {
		if err := saveTensors(path, []string{"a", "b"}, []*torch.Tensor{torch.Ones(2, 3), torch.Ones(4)}); err != nil {
			return err
		}
		into := func(path, name string, shape ...int64) error {
			return loadTensors(path, []string{name}, []*torch.Tensor{torch.Zeros(shape...)})
		}
		if err := into(path, "a", 2, 3); err != nil { // other tensors of the file are ignored
			return err
		}
		for _, c := range []struct {
			err  error
			want string
		}{
			{into(path, "c", 2, 3), `it has no tensor "c"`},
			{into(path, "a", 3, 2), `tensor "a" is F32 [2 3], the model wants F32 [3 2]`},
			{into(path, "a", 6), `the model wants F32 [6]`},
			{into(path, "b", 4, 1), `the model wants F32 [4 1]`},
		} {
			if c.err == nil || !strings.Contains(c.err.Error(), c.want) || !strings.Contains(c.err.Error(), path) {
				t.Errorf("error %v, want …%s… and the path", c.err, c.want)
			}
		}
		if err := into(filepath.Join(dir, "none"), "a", 2, 3); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no file: error %v", err)
		}

		whole, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		cut := filepath.Join(dir, "cut.safetensors")
		for n := range len(whole) {
			if err := os.WriteFile(cut, whole[:n], 0o600); err != nil {
				return err
			}
			if err := into(cut, "a", 2, 3); err == nil || !strings.Contains(err.Error(), cut) {
				t.Errorf("the first %d of %d bytes: error %v", n, len(whole), err)
			}
		}

		view, err := safetensors.NewTensorView(safetensors.F64, []uint64{1}, make([]byte, 8))
		if err != nil {
			return err
		}
		double, err := safetensors.Serialize(map[string]safetensors.TensorView{"a": view}, nil)
		if err != nil {
			return err
		}
		if err := os.WriteFile(cut, double, 0o600); err != nil {
			return err
		}
		if err := into(cut, "a", 1); err == nil || !strings.Contains(err.Error(), "F64 [1], the model wants F32 [1]") {
			t.Errorf("double precision: error %v", err)
		}
		return nil
	})
}

// TestSaveKeepsTheOld checks that a failed write leaves the previous file unchanged.
func TestSaveKeepsTheOld(t *testing.T) {
	onTorch(t, func() error {
		p := NewParams()
		defer p.Free()
		p.Add("w", torch.Ones(2))
		missing := filepath.Join(t.TempDir(), "no", "such", "folder", "x.safetensors")
		if err := p.Save(missing); err == nil {
			t.Error("saving into a folder that is not there: no error")
		}
		path := filepath.Join(t.TempDir(), "x.safetensors")
		if err := p.Save(path); err != nil {
			return err
		}
		p.All()[0].Set(torch.Zeros(2))
		if err := p.Load(path); err != nil {
			return err
		}
		if got := p.All()[0].Floats(); got[1] != 1 {
			t.Errorf("loaded %v", got)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("the folder holds %v", files)
		}
		return nil
	})
}

// FuzzDecodeTensors checks that decodeTensors either returns an error or every requested tensor in
// full length.
func FuzzDecodeTensors(f *testing.F) {
	for _, dtype := range []safetensors.DType{safetensors.F32, safetensors.I32} {
		a, errA := safetensors.NewTensorView(dtype, []uint64{2, 3}, make([]byte, 24))
		b, errB := safetensors.NewTensorView(dtype, []uint64{4}, make([]byte, 16))
		tensors := map[string]safetensors.TensorView{"a": a, "b": b}
		raw, err := safetensors.Serialize(tensors, map[string]string{"x": "y"})
		if err := errors.Join(errA, errB, err); err != nil {
			f.Fatal(err)
		}
		f.Add(raw, "a", "b", int64(2))
	}
	f.Add([]byte{}, "", "", int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, first, second string, rows int64) {
		shapes := [][]int64{{rows, 3}, {4}}
		values, err := decodeTensors(raw, []string{first, second}, shapes)
		if err == nil && (int64(len(values[0])) != 3*rows || len(values[1]) != 4) {
			t.Errorf("%d and %d values of shapes %v", len(values[0]), len(values[1]), shapes)
		}
	})
}

// TestInitialisation checks that every parameter is drawn uniformly from the right range. For the
// embedding, this is the range in the paper's published code. For other parameters, it is the
// default of the PyTorch layer.
func TestInitialisation(t *testing.T) {
	const dim, hidden, ff, words = 64, 48, 128, 500
	onTorch(t, func() error {
		torch.Seed(1)
		p := NewParams()
		defer p.Free()
		NewEmbedding(p, "embedding", words, dim)
		NewLinear(p, "linear", dim, ff)
		NewLinearNoBias(p, "nobias", ff, dim)
		NewLSTM(p, "lstm", dim, hidden, true)
		shape := recipe.SMLMShape{Dim: dim, Heads: 4, FF: ff}
		NewEncoderLayer(p, "enc", shape, .1)
		NewDecoderLayer(p, "dec", shape, .1)
		xavier := math.Sqrt(6.0 / (dim + 3*dim)) // bound of in_proj_weight in torch.nn.MultiheadAttention
		// The keys are endings of names. The bound is 1/sqrt(in) in torch.nn.Linear and
		// 1/sqrt(hidden) in torch.nn.LSTM.
		bounds := map[string]float64{
			"embedding.weight": .1, "linear.weight": 1 / math.Sqrt(dim), "linear.bias": 1 / math.Sqrt(dim),
			"nobias.weight":  1 / math.Sqrt(ff),
			"in_proj_weight": xavier, "in_proj_bias": 0, "out_proj.weight": 1 / math.Sqrt(dim), "out_proj.bias": 0,
			"linear1.weight": 1 / math.Sqrt(
				dim,
			), "linear1.bias": 1 / math.Sqrt(dim), "linear2.weight": 1 / math.Sqrt(ff),
			"linear2.bias": 1 / math.Sqrt(ff),
		}
		for _, s := range []string{"", "_reverse"} {
			for _, w := range []string{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"} {
				bounds["lstm."+w+s] = 1 / math.Sqrt(hidden)
			}
		}
		for i, name := range p.Names() {
			x := p.All()[i].Floats()
			if strings.Contains(name, ".norm") {
				want := float32(0)
				if strings.HasSuffix(name, "weight") {
					want = 1
				}
				for _, v := range x {
					if v != want {
						t.Errorf("%s holds %v, want %v", name, v, want)
						break
					}
				}
				continue
			}
			bound, found := 0.0, false
			for ending, b := range bounds {
				// The ending must be a complete part of the name: "linear.weight" does not match
				// "nolinear.weight".
				if name == ending || strings.HasSuffix(name, "."+ending) {
					bound, found = b, true
				}
			}
			if !found {
				t.Errorf("%s: no expected range", name)
				continue
			}
			uniform(t, name, x, bound)
		}
		return nil
	})
}

// uniform checks bounds, mean and variance of draws from U(-bound, bound), with a tolerance of five
// standard errors.
func uniform(t *testing.T, name string, x []float32, bound float64) {
	t.Helper()
	var largest, sum, squares float64
	for _, v := range x {
		largest = max(largest, math.Abs(float64(v)))
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(x))
	if largest > bound*(1+1e-6) || largest < bound*(1-8/n) {
		t.Errorf("%s: largest magnitude %v of %v draws, bound %v", name, largest, n, bound)
	}
	if off := math.Abs(sum / n); off > 5*bound/math.Sqrt(3*n) {
		t.Errorf("%s: mean %v of U(-%v, %v)", name, sum/n, bound, bound)
	}
	// For U(-b, b): E x^2 = b^2/3, var x^2 = 4 b^4/45.
	if off := math.Abs(squares/n - bound*bound/3); off > 5*bound*bound*math.Sqrt(4/45./n) {
		t.Errorf("%s: mean square %v, want %v", name, squares/n, bound*bound/3)
	}
}

// TestParameterNames checks that parameters have the same names as in PyTorch, and that a name
// cannot be used twice.
func TestParameterNames(t *testing.T) {
	onTorch(t, func() error {
		p := NewParams()
		defer p.Free()
		NewLSTM(p, "lstm", 2, 3, true)
		newAttention(p, "attn", 4, 2)
		want := "lstm.weight_ih_l0 lstm.weight_hh_l0 lstm.bias_ih_l0 lstm.bias_hh_l0 lstm.weight_ih_l0_reverse " +
			"lstm.weight_hh_l0_reverse lstm.bias_ih_l0_reverse lstm.bias_hh_l0_reverse attn.in_proj_weight " +
			"attn.in_proj_bias attn.out_proj.weight attn.out_proj.bias"
		if got := strings.Join(p.Names(), " "); got != want {
			t.Errorf("names\n%s, want\n%s", got, want)
		}
		// Each direction of an LSTM has the weights [4h, in] and [4h, h] and two biases [4h].
		// Attention has the weights [3d, d] and [d, d] and the biases [3d] and [d].
		if got := p.Count(); got != 2*(12*2+12*3+24)+(12*4+12+16+4) {
			t.Errorf("%d parameters", got)
		}
		defer func() {
			if recover() == nil {
				t.Error("a second parameter of one name is taken")
			}
		}()
		p.Add("attn.in_proj_bias", torch.Zeros(1))
		return nil
	})
}
