package classifier

import (
	"fmt"
	"io"
	"os"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Names of the tensors in a FastText's file.
const (
	vectorsName = "vectors" // [Vocab + Buckets, Dim]
	outputName  = "output"  // [2, Dim]
)

// tensors returns the weights by name with their rows.
func (m *FastText) tensors() map[string][]float32 {
	return map[string][]float32{vectorsName: m.vectors, outputName: m.output}
}

// Save writes the weights as safetensors, complete or not at all. The same weights give the same
// bytes.
func (m *FastText) Save(path string) error {
	views := map[string]safetensors.TensorView{}
	for name, data := range m.tensors() {
		shape := []uint64{uint64(len(data) / m.Config.Dim), uint64(m.Config.Dim)}
		view, err := safetensors.NewTensorView(safetensors.F32, shape, asBytes(data))
		if err != nil {
			return fmt.Errorf("saving tensor %q: %w", name, err)
		}
		views[name] = view
	}
	return files.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) })
}

// LoadFastText reads the weights that Save wrote of a model of the shape c.
func LoadFastText(path string, c FastTextConfig) (*FastText, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	m := makeFastText(c)
	for name, data := range m.tensors() {
		view, ok := file.Tensor(name)
		if !ok {
			return nil, fmt.Errorf("reading %q: it has no tensor %q", path, name)
		}
		want := []uint64{uint64(len(data) / c.Dim), uint64(c.Dim)}
		if view.DType() != safetensors.F32 || fmt.Sprint(view.Shape()) != fmt.Sprint(want) {
			return nil, fmt.Errorf(
				"reading %q: tensor %q is %v %v, the model wants F32 %v", path, name, view.DType(), view.Shape(), want,
			)
		}
		copy(asBytes(data), view.Data())
	}
	return m, nil
}
