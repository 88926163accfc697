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
		if err := into(path, "a", 2, 3); err != nil { // others in the file are of no concern
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

// TestSaveKeepsTheOld: a file that cannot be written leaves the one before it.
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

// FuzzDecodeTensors: a file is refused, or has every tensor asked for in its whole length.
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
