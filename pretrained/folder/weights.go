package folder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

const (
	weightsFile = "model.safetensors"
	indexFile   = "model.safetensors.index.json"
	// mostIndex bounds the index of shards, and mostHeader the header of each: the largest models
	// have a thousand tensors there, of 150 bytes.
	mostIndex  = 16 << 20
	mostHeader = 2 << 20
	// mostShards bounds the files of the weights, and mostWeights their bytes: the largest model of
	// these families has 43 GB.
	mostShards  = 1000
	mostWeights = 64 << 30
)

// pickles are how weights are written that can run code when they are read.
var pickles = []string{"pytorch_model.bin", "pytorch_model.bin.index.json"}

// tensorInfo is where a tensor is.
type tensorInfo struct {
	shard string
	kind  safetensors.DType
	shape []uint64
}

// findWeights lists the tensors of all shards, which must be whole.
func (f *Folder) findWeights() error {
	if err := f.findShards(); err != nil {
		return err
	}
	if n := f.Bytes(); n > mostWeights {
		return userr.New(userr.BadInput, "the weights of %q have %d GB, but at most %d are read: no encoder "+
			"that the program knows is so large", f.Dir, n>>30, mostWeights>>30)
	}
	f.tensors = map[string]tensorInfo{}
	for _, name := range f.shards {
		err := f.mapped(name, func(file safetensors.SafeTensors) error {
			for _, t := range file.Tensors() {
				if other, twice := f.tensors[t.Name]; twice {
					return fmt.Errorf("it has the tensor %.100q, which is in %.100q too", t.Name, other.shard)
				}
				f.tensors[t.Name] = tensorInfo{name, t.TensorView.DType(), t.TensorView.Shape()}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findShards sets the names of the weights' files.
func (f *Folder) findShards() error {
	if _, err := os.Stat(f.path(weightsFile)); err == nil {
		f.shards = []string{weightsFile}
		return nil
	}
	if _, err := os.Stat(f.path(indexFile)); err != nil {
		for _, name := range pickles {
			if _, err := os.Stat(f.path(name)); err == nil {
				return userr.New(userr.BadInput, "%s is a pickle, which may run any program when it is read: "+
					"write the model again with save_pretrained(DIR, safe_serialization=True)", f.path(name))
			}
		}
		return userr.New(userr.BadInput, "the folder %q has no %s: copy it there, or download the model with "+
			"`huggingface-cli download`", f.Dir, weightsFile)
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := readJSON(f.path(indexFile), mostIndex, &index); err != nil {
		return err
	}
	if len(index.WeightMap) == 0 {
		return userr.New(userr.BadInput, "%s names no weights: copy it again", f.path(indexFile))
	}
	f.shards = slices.Compact(slices.Sorted(maps.Values(index.WeightMap)))
	if len(f.shards) > mostShards {
		return userr.New(userr.BadInput, "%s names %d files, but at most %d are possible", f.path(indexFile), len(f.shards), mostShards)
	}
	for _, name := range f.shards {
		if !filepath.IsLocal(name) || filepath.Base(name) != name {
			return userr.New(userr.BadInput, "%s names the file %.100q, which is not in the folder", f.path(indexFile), name)
		}
	}
	return nil
}

// lfsPointer begins what git keeps in the place of a large file.
const lfsPointer = "version https://git-lfs"

// mapped calls fn with a file of the weights.
func (f *Folder) mapped(name string, fn func(safetensors.SafeTensors) error) error {
	err := files.Mapped(f.path(name), func(raw []byte) error {
		if bytes.HasPrefix(raw, []byte(lfsPointer)) {
			return fmt.Errorf("it is only git's pointer to the weights: download them with `git lfs pull`")
		}
		if len(raw) < 8 || binary.LittleEndian.Uint64(raw) > mostHeader {
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
		return userr.New(userr.BadInput, "the weights %s cannot be read: %w", f.path(name), files.Cause(err))
	}
	return nil
}

// find returns a tensor and its name, which may be an old one.
func (f *Folder) find(name string) (string, tensorInfo, bool) {
	if t, ok := f.tensors[name]; ok {
		return name, t, true
	}
	if t, ok := f.tensors[old.Replace(name)]; ok {
		return old.Replace(name), t, true
	}
	return name, tensorInfo{}, false
}

// Has tells whether the weights have a tensor.
func (f *Folder) Has(name string) bool {
	_, _, ok := f.find(name)
	return ok
}

// readable are the types of tensors that can be read.
var readable = []safetensors.DType{safetensors.F32, safetensors.F16, safetensors.BF16}

// check refuses weights without a tensor of some shape.
func (f *Folder) check(name string, shape ...int64) error {
	name, t, ok := f.find(name)
	switch {
	case !ok:
		return userr.New(userr.BadInput, "the weights of %q have no tensor %q: they do not belong to %s", f.Dir, name,
			configFile)
	case !slices.EqualFunc(t.shape, shape, func(has uint64, want int64) bool { return has == uint64(want) }):
		return userr.New(userr.BadInput, "%s: tensor %q is %.100v, but %s says %v: they do not belong together",
			f.path(t.shard), name, fmt.Sprint(t.shape), configFile, shape)
	case !slices.Contains(readable, t.kind):
		return userr.New(userr.BadInput, "%s: tensor %q is of type %v, but only float32, float16 and bfloat16 "+
			"can be read: write the model again in one of them", f.path(t.shard), name, t.kind)
	}
	return nil
}

// Floats calls fn with the numbers of each tensor in turn, which must be of the shape given; fn
// must not keep them. They are stored as float32, float16 or bfloat16.
func (f *Folder) Floats(names []string, shapes [][]int64, fn func(i int, data []float32) error) error {
	byShard := map[string][]int{}
	for i, name := range names {
		if err := f.check(name, shapes[i]...); err != nil {
			return err
		}
		_, t, _ := f.find(name)
		byShard[t.shard] = append(byShard[t.shard], i)
	}
	for _, shard := range f.shards {
		if len(byShard[shard]) == 0 {
			continue
		}
		err := f.mapped(shard, func(file safetensors.SafeTensors) error {
			for _, i := range byShard[shard] {
				name, t, _ := f.find(names[i])
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
		if err != nil {
			return err
		}
	}
	return nil
}

// decode returns a tensor's numbers, which are of a readable type, as float32.
func decode(view safetensors.TensorView) []float32 {
	raw := view.Data()
	if view.DType() == safetensors.F32 {
		out := make([]float32, len(raw)/4)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return out
	}
	wide := halfToFloat
	if view.DType() == safetensors.BF16 {
		wide = func(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }
	}
	out := make([]float32, len(raw)/2)
	for i := range out {
		out[i] = wide(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return out
}

// halfToFloat widens IEEE 754's binary16.
func halfToFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero, or a number below 2^-14
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f: // infinite, or none
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
}
