package nn

import (
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// saveTensors writes named float32 tensors as safetensors, complete or not at all.
func saveTensors(path string, names []string, tensors []*torch.Tensor) error {
	views := make(map[string]safetensors.TensorView, len(names))
	for i, name := range names {
		shape := []uint64{}
		for _, d := range tensors[i].Shape() {
			shape = append(shape, uint64(d))
		}
		data := tensors[i].Floats()
		raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), 4*len(data))
		view, err := safetensors.NewTensorView(safetensors.F32, shape, raw)
		if err != nil {
			return fmt.Errorf("saving tensor %q: %w", name, err)
		}
		views[name] = view
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) })
}

// loadTensors copies the file's tensors into those named, which must all be there with equal
// shapes.
func loadTensors(path string, names []string, tensors []*torch.Tensor) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	for i, name := range names {
		view, ok := file.Tensor(name)
		if !ok {
			return fmt.Errorf("reading %q: it has no tensor %q", path, name)
		}
		shape := []int64{}
		for _, d := range view.Shape() {
			shape = append(shape, int64(d))
		}
		if view.DType() != safetensors.F32 || fmt.Sprint(shape) != fmt.Sprint(tensors[i].Shape()) {
			return fmt.Errorf(
				"reading %q: tensor %q is %v %v, the model wants F32 %v", path, name, view.DType(), shape,
				tensors[i].Shape(),
			)
		}
		data := make([]float32, len(view.Data())/4)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), 4*len(data)), view.Data())
		read := torch.FromFloats(data, shape...)
		tensors[i].Set(read)
		read.Free() // the scope may be that of a whole training
	}
	return nil
}

// Save writes the parameters as safetensors under their names.
func (p *Params) Save(path string) error { return saveTensors(path, p.names, p.tensors) }

// Load sets the parameters from a file written by Save, or by PyTorch with the same names.
func (p *Params) Load(path string) error { return loadTensors(path, p.names, p.tensors) }
