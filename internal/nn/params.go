package nn

import (
	"fmt"
	"io"
	"unsafe"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Params holds a model's parameters by name, in the order they were added. Gradient norms, files
// and updates use this fixed order.
type Params struct {
	names   []string
	tensors []*torch.Tensor
	index   map[string]int
}

// NewParams returns an empty registry.
func NewParams() *Params { return &Params{index: map[string]int{}} }

// Add registers the tensor init as a parameter to train. Params then owns the parameter's memory.
func (p *Params) Add(name string, init *torch.Tensor) *torch.Tensor {
	if _, dup := p.index[name]; dup {
		panic(fmt.Sprintf("nn: parameter %q is added twice", name))
	}
	t := torch.Param(init)
	p.index[name] = len(p.names)
	p.names = append(p.names, name)
	p.tensors = append(p.tensors, t)
	return t
}

// All returns the parameters in order.
func (p *Params) All() []*torch.Tensor { return p.tensors }

// Names returns the names of the parameters, in the order of All.
func (p *Params) Names() []string { return p.names }

// Count returns the number of scalars in all parameters.
func (p *Params) Count() int {
	n := 0
	for _, t := range p.tensors {
		n += int(t.Numel())
	}
	return n
}

// Free releases all parameters.
func (p *Params) Free() {
	for _, t := range p.tensors {
		t.Free()
	}
}

// Snapshot returns copies of all parameters. The copies stay in memory until Free is called on each
// of them.
func (p *Params) Snapshot() []*torch.Tensor {
	copies := make([]*torch.Tensor, len(p.tensors))
	for i, t := range p.tensors {
		d := t.Detach()
		copies[i] = d.Copy().Own()
		d.Free() // free it now, because the scope may last a whole training run
	}
	return copies
}

// Restore sets all parameters from copies made by Snapshot.
func (p *Params) Restore(copies []*torch.Tensor) {
	for i, t := range p.tensors {
		t.Set(copies[i])
	}
}

// FirstBad returns the name of the first parameter that holds an infinite or NaN value, or "".
func (p *Params) FirstBad() string {
	for i, t := range p.tensors {
		if !t.Finite() {
			return p.names[i]
		}
	}
	return ""
}

// saveTensors writes named float32 tensors as safetensors, completely or not at all.
func saveTensors(path string, names []string, tensors []*torch.Tensor) error {
	views := make(map[string]tensorView, len(names))
	for i, name := range names {
		views[name] = tensorView{tensors[i]}
	}
	return files.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) })
}

// tensorView is a float32 tensor to write. Its numbers are copied on demand, so that a whole model
// is never in memory twice.
type tensorView struct{ *torch.Tensor }

func (tensorView) DType() safetensors.DType { return safetensors.F32 }

func (v tensorView) Shape() []uint64 {
	shape := []uint64{}
	for _, d := range v.Tensor.Shape() {
		shape = append(shape, uint64(d))
	}
	return shape
}

func (v tensorView) DataLen() uint64 { return 4 * uint64(v.Numel()) }

func (v tensorView) Data() []byte { return FloatBytes(v.Floats()) }

// FloatBytes returns the memory of data as bytes. They are little-endian, as in safetensors files,
// because libtorch runs only on little-endian machines.
func FloatBytes(data []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), 4*len(data))
}

// loadTensors copies a file's tensors into the given ones. For every name, the file must have a
// tensor of the same shape. The file is memory-mapped: if there is too little memory, mapping
// returns an error, whereas an allocation by the Go runtime would end the program.
func loadTensors(path string, names []string, tensors []*torch.Tensor) error {
	shapes := make([][]int64, len(tensors))
	for i, t := range tensors {
		shapes[i] = t.Shape()
	}
	err := files.Mapped(path, func(raw []byte) error {
		values, err := decodeTensors(raw, names, shapes)
		if err != nil {
			return err
		}
		for i, data := range values {
			loaded := torch.FromFloats(data, shapes[i]...)
			tensors[i].Set(loaded)
			loaded.Free() // free it now, because the scope may last a whole training run
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	return nil
}

// LoadFloats copies a tensor of the given shape from a safetensors file into data.
func LoadFloats(path, name string, data []float32, shape ...int64) error {
	err := files.Mapped(path, func(raw []byte) error {
		values, err := decodeTensors(raw, []string{name}, [][]int64{shape})
		if err == nil {
			copy(data, values[0])
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	return nil
}

// decodeTensors returns the values of tensors with these names and shapes from the bytes of a
// safetensors file. The values share the memory of raw if raw is aligned.
func decodeTensors(raw []byte, names []string, shapes [][]int64) ([][]float32, error) {
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return nil, err
	}
	values := make([][]float32, len(names))
	for i, name := range names {
		view, ok := file.Tensor(name)
		if !ok {
			return nil, fmt.Errorf("it has no tensor %q", name)
		}
		if view.DType() != safetensors.F32 || fmt.Sprint(view.Shape()) != fmt.Sprint(shapes[i]) {
			return nil, fmt.Errorf(
				"tensor %q is %v %v, the model wants F32 %v", name, view.DType(), view.Shape(), shapes[i],
			)
		}
		data := view.Data()
		first := unsafe.Pointer(unsafe.SliceData(data))
		if uintptr(first)%unsafe.Alignof(float32(0)) == 0 {
			values[i] = unsafe.Slice((*float32)(first), len(data)/4)
			continue
		}
		values[i] = make([]float32, len(data)/4)
		copy(FloatBytes(values[i]), data)
	}
	return values, nil
}

// Save writes the parameters as safetensors under their names.
func (p *Params) Save(path string) error { return saveTensors(path, p.names, p.tensors) }

// Load sets the parameters from a file written by Save, or by PyTorch with the same names.
func (p *Params) Load(path string) error { return loadTensors(path, p.names, p.tensors) }
