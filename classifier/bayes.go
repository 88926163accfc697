package classifier

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"unsafe"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Bayes is multinomial naive Bayes over words and pairs of neighbours, counts smoothed by 1 (Wang
// and Manning 2012, "MNB bigrams"). It is a judge of outputs of another kind than the Bi-LSTM, and
// does nothing else.
type Bayes struct {
	prior  float32            // log p(style 1) - log p(style 0)
	ratios map[uint64]float32 // by feature: log p(feature | style 1) - log p(feature | style 0)
}

// features calls fn with every word of a sentence and with every pair of neighbours.
func features(ids []int64, fn func(uint64)) {
	for k, id := range ids {
		fn(uint64(id))
		if k > 0 {
			fn(uint64(ids[k-1]+1)<<32 | uint64(id))
		}
	}
}

// NewBayes counts the training sentences.
func NewBayes(d corpus.Encoded) *Bayes {
	var sentences, total [2]float64
	counts := map[uint64]*[2]float64{}
	for i, ids := range d.IDs {
		style := d.Styles[i]
		sentences[style]++
		features(ids, func(f uint64) {
			if counts[f] == nil {
				counts[f] = &[2]float64{1, 1}
			}
			counts[f][style]++
			total[style]++
		})
	}
	n := float64(len(counts))
	b := &Bayes{
		prior:  float32(math.Log((sentences[1] + 1) / (sentences[0] + 1))),
		ratios: make(map[uint64]float32, len(counts)),
	}
	for f, c := range counts {
		b.ratios[f] = float32(math.Log(c[1]/(total[1]+n)) - math.Log(c[0]/(total[0]+n)))
	}
	return b
}

// Predict returns the likelier style of every sentence, 0 where both are equally likely. What the
// training text never had says nothing.
func (b *Bayes) Predict(ids [][]int64) []int {
	out := make([]int, len(ids))
	for i, row := range ids {
		sum := float64(b.prior)
		features(row, func(f uint64) { sum += float64(b.ratios[f]) })
		if sum > 0 {
			out[i] = 1
		}
	}
	return out
}

// Accuracy returns the percentage of sentences whose style it finds, 0 for none.
func (b *Bayes) Accuracy(d corpus.Encoded) float64 {
	right := 0
	for i, style := range b.Predict(d.IDs) {
		if style == d.Styles[i] {
			right++
		}
	}
	return 100 * float64(right) / float64(max(1, len(d.IDs)))
}

// Features counts what has a weight.
func (b *Bayes) Features() int { return len(b.ratios) }

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
