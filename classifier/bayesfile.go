package classifier

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"unsafe"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Names of the tensors in a Bayes' file.
const (
	featuresName = "features" // I64 [F], ascending
	ratiosName   = "ratios"   // F32 [F]
	priorName    = "prior"    // F32 [1]
)

// Save writes the weights as safetensors, complete or not at all.
func (b *Bayes) Save(path string) error {
	keys := slices.Sorted(maps.Keys(b.ratios))
	ratios := make([]float32, len(keys))
	for i, f := range keys {
		ratios[i] = b.ratios[f]
	}
	views := map[string]safetensors.TensorView{}
	add := func(name string, dtype safetensors.DType, n int, raw []byte) error {
		view, err := safetensors.NewTensorView(dtype, []uint64{uint64(n)}, raw)
		views[name] = view
		return err
	}
	for _, err := range []error{
		add(featuresName, safetensors.I64, len(keys), asBytes(keys)),
		add(ratiosName, safetensors.F32, len(ratios), asBytes(ratios)),
		add(priorName, safetensors.F32, 1, asBytes([]float32{b.prior})),
	} {
		if err != nil {
			return fmt.Errorf("saving %q: %w", path, err)
		}
	}
	return files.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) })
}

// LoadBayes reads what Save wrote.
func LoadBayes(path string) (*Bayes, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	keys, err := column[uint64](file, path, featuresName, safetensors.I64)
	if err != nil {
		return nil, err
	}
	ratios, err := column[float32](file, path, ratiosName, safetensors.F32)
	if err != nil {
		return nil, err
	}
	prior, err := column[float32](file, path, priorName, safetensors.F32)
	if err != nil {
		return nil, err
	}
	if len(prior) != 1 || len(keys) != len(ratios) {
		return nil, fmt.Errorf("reading %q: %d features have %d ratios and %d priors",
			path, len(keys), len(ratios), len(prior))
	}
	b := &Bayes{prior: prior[0], ratios: make(map[uint64]float32, len(keys))}
	for i, f := range keys {
		b.ratios[f] = ratios[i]
	}
	return b, nil
}

// column returns the numbers of a tensor of one dimension.
func column[T uint64 | float32](file safetensors.SafeTensors, path, name string, dtype safetensors.DType) ([]T, error) {
	view, ok := file.Tensor(name)
	if !ok || view.DType() != dtype || len(view.Shape()) != 1 {
		return nil, fmt.Errorf("reading %q: it has no list %q of %v", path, name, dtype)
	}
	out := make([]T, view.Shape()[0])
	copy(asBytes(out), view.Data())
	return out, nil
}

// asBytes returns the memory of data, which is little-endian as the file is: libtorch runs on no
// other machines.
func asBytes[T any](data []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(one)))
}
