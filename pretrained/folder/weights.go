package folder

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

const (
	weightsFile = "model.safetensors"

	maxHeader  = 2 << 20  // maximum size of the header, which has about 100 bytes per tensor
	maxWeights = 16 << 30 // maximum size of the file; the largest BERT has 2 GB
)

// otherWeights lists weights files in unsupported formats, with the reason why each is not read.
var otherWeights = map[string]string{
	"pytorch_model.bin":            "is a pickle, which may run any program when it is read",
	"pytorch_model.bin.index.json": "lists pickles, which may run any program when they are read",
	"model.safetensors.index.json": "lists several files of weights, but only one file is read",
}

// tensorInfo is a tensor's entry in the header.
type tensorInfo struct {
	kind  safetensors.DType
	shape []uint64
}

// findTensors lists the tensors of the weights file, which must be complete.
func (f *Folder) findTensors() error {
	if _, err := os.Stat(f.path(weightsFile)); err != nil {
		for _, name := range slices.Sorted(maps.Keys(otherWeights)) {
			if _, err := os.Stat(f.path(name)); err == nil {
				return userr.New(userr.BadInput, "%s %s: write the model again with save_pretrained(DIR, "+
					"safe_serialization=True, max_shard_size=\"16GB\")", f.path(name), otherWeights[name])
			}
		}
		return userr.New(userr.BadInput, "the folder %q has no %s: copy it there, or download the model with "+
			"`huggingface-cli download`", f.Dir, weightsFile)
	}
	if n := f.Bytes(); n > maxWeights {
		return userr.New(userr.BadInput, "the weights of %q have %d GB, but at most %d are read: no BERT is so large",
			f.Dir, n>>30, maxWeights>>30)
	}
	f.tensors = map[string]tensorInfo{}
	return f.mapped(func(file safetensors.SafeTensors) error {
		for _, t := range file.Tensors() {
			f.tensors[t.Name] = tensorInfo{t.TensorView.DType(), t.TensorView.Shape()}
		}
		return nil
	})
}

// lfsPointer is the start of the file that Git LFS keeps in place of a large file.
const lfsPointer = "version https://git-lfs"

// The method mapped calls fn with the memory-mapped weights file.
func (f *Folder) mapped(fn func(safetensors.SafeTensors) error) error {
	err := files.Mapped(f.path(weightsFile), func(raw []byte) error {
		if bytes.HasPrefix(raw, []byte(lfsPointer)) {
			return fmt.Errorf("it is only git's pointer to the weights: download them with `git lfs pull`")
		}
		if len(raw) < 8 || binary.LittleEndian.Uint64(raw) > maxHeader {
			return fmt.Errorf("it does not start like a safetensors file")
		}
		file, err := safetensors.Deserialize(raw)
		if err != nil {
			return errors.New("it is cut off or damaged, or has numbers of a type that cannot be read: copy " +
				"it again, or write the model again as float32")
		}
		return fn(file)
	})
	if err != nil {
		return userr.New(userr.BadInput, "the weights %s cannot be read: %w", f.path(weightsFile), files.Cause(err))
	}
	return nil
}

// oldNames replaces the names of a layer norm's weight and bias by the names used before 2019.
var oldNames = strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")

// find returns a tensor and its name in the file, which may be the name used before 2019 (see
// oldNames).
func (f *Folder) find(name string) (string, tensorInfo, bool) {
	if t, ok := f.tensors[name]; ok {
		return name, t, true
	}
	if t, ok := f.tensors[oldNames.Replace(name)]; ok {
		return oldNames.Replace(name), t, true
	}
	return name, tensorInfo{}, false
}

// Has reports whether the weights have a tensor of this name.
func (f *Folder) Has(name string) bool {
	_, _, ok := f.find(name)
	return ok
}

// Name returns the full name of a tensor of the encoder. The name begins with "bert." unless the
// encoder was saved without a head.
func (f *Folder) Name(part string) string {
	if f.Has("bert.embeddings.word_embeddings.weight") {
		return "bert." + part
	}
	return part
}

// Layer returns the prefix of the tensor names of layer i.
func (f *Folder) Layer(i int) string { return f.Name(fmt.Sprintf("encoder.layer.%d.", i)) }

// checkEncoder refuses weights that lack a tensor of the encoder, or have one whose shape does not
// match the config. It stops at the first bad layer, because a config may claim any number of
// layers.
func (f *Folder) checkEncoder() error {
	c := f.Config
	dim, ff := int64(c.Dim), int64(c.FF)
	linear := func(name string, in, out int64) error {
		return cmp.Or(f.check(name+".weight", out, in), f.check(name+".bias", out))
	}
	norm := func(name string) error {
		return cmp.Or(f.check(name+".weight", dim), f.check(name+".bias", dim))
	}
	err := cmp.Or(
		f.check(f.Name("embeddings.word_embeddings.weight"), int64(c.Vocab), dim),
		f.check(f.Name("embeddings.position_embeddings.weight"), int64(c.Positions), dim),
		f.check(f.Name("embeddings.token_type_embeddings.weight"), int64(c.Types), dim),
		norm(f.Name("embeddings.LayerNorm")),
	)
	for i := 0; i < c.Layers && err == nil; i++ {
		layer := f.Layer(i)
		err = cmp.Or(
			linear(layer+"attention.self.query", dim, dim),
			linear(layer+"attention.self.key", dim, dim),
			linear(layer+"attention.self.value", dim, dim),
			linear(layer+"attention.output.dense", dim, dim),
			norm(layer+"attention.output.LayerNorm"),
			linear(layer+"intermediate.dense", dim, ff),
			linear(layer+"output.dense", ff, dim),
			norm(layer+"output.LayerNorm"),
		)
	}
	return err
}

// The variable readable lists the tensor types that can be read.
var readable = []safetensors.DType{safetensors.F32, safetensors.F16, safetensors.BF16}

// check returns an error unless the weights have a tensor with this name and shape, in a type that
// can be read.
func (f *Folder) check(name string, shape ...int64) error {
	name, t, ok := f.find(name)
	switch {
	case !ok:
		return userr.New(userr.BadInput, "the weights of %q have no tensor %q: they do not belong to %s", f.Dir, name,
			configFile)
	case !slices.EqualFunc(t.shape, shape, func(got uint64, want int64) bool { return got == uint64(want) }):
		return userr.New(userr.BadInput, "%s: tensor %q is %.100v, but %s says %v: they do not belong together",
			f.path(weightsFile), name, fmt.Sprint(t.shape), configFile, shape)
	case !slices.Contains(readable, t.kind):
		return userr.New(userr.BadInput, "%s: tensor %q is of type %v, but only float32, float16 and bfloat16 "+
			"can be read: write the model again in one of them", f.path(weightsFile), name, t.kind)
	}
	return nil
}

// Floats calls fn with the values of each named tensor in turn. Tensor i must have the shape
// shapes[i] and be stored as float32, float16 or bfloat16.
func (f *Folder) Floats(names []string, shapes [][]int64, fn func(i int, data []float32) error) error {
	for i, name := range names {
		if err := f.check(name, shapes[i]...); err != nil {
			return err
		}
	}
	return f.mapped(func(file safetensors.SafeTensors) error {
		for i, name := range names {
			name, t, _ := f.find(name)
			view, ok := file.Tensor(name)
			if !ok || view.DType() != t.kind || !slices.Equal(view.Shape(), t.shape) {
				return fmt.Errorf("tensor %q has changed since it was checked: copy it again", name)
			}
			if err := fn(i, decode(view)); err != nil {
				return fmt.Errorf("tensor %q: %w", name, err)
			}
		}
		return nil
	})
}

// decode returns the values of a tensor of a readable type as float32.
func decode(view safetensors.TensorView) []float32 {
	raw := view.Data()
	if view.DType() == safetensors.F32 {
		out := make([]float32, len(raw)/4)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return out
	}
	widen := halfToFloat
	if view.DType() == safetensors.BF16 {
		widen = func(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }
	}
	out := make([]float32, len(raw)/2)
	for i := range out {
		out[i] = widen(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return out
}

// halfToFloat converts IEEE 754 binary16 to float32.
func halfToFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero, or a number below 2^-14
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f: // infinity or NaN
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
}
