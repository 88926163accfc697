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
// does nothing else. All its numbers are of each style from 1 on, less that of style 0.
type Bayes struct {
	priors []float32      // log p(style)
	rows   map[uint64]int // by feature: its row of ratios
	ratios []float32      // log p(feature | style), as many a row as there are priors
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

// NewBayes counts the training sentences of so many styles.
func NewBayes(d corpus.Encoded, styles int) *Bayes {
	sentences, total := make([]float64, styles), make([]float64, styles)
	b := &Bayes{rows: map[uint64]int{}}
	var counts []float64 // by feature and style
	for i, ids := range d.IDs {
		style := d.Styles[i]
		sentences[style]++
		features(ids, func(f uint64) {
			row, known := b.rows[f]
			if !known {
				row = len(b.rows)
				b.rows[f] = row
				for range styles {
					counts = append(counts, 1)
				}
			}
			counts[row*styles+style]++
			total[style]++
		})
	}
	n := float64(len(b.rows))
	for style := 1; style < styles; style++ {
		b.priors = append(b.priors, float32(math.Log((sentences[style]+1)/(sentences[0]+1))))
	}
	b.ratios = make([]float32, 0, len(b.rows)*len(b.priors))
	for c := range slices.Chunk(counts, styles) {
		for style := 1; style < styles; style++ {
			b.ratios = append(b.ratios, float32(math.Log(c[style]/(total[style]+n))-math.Log(c[0]/(total[0]+n))))
		}
	}
	return b
}

// of returns the ratios of a feature, nil of one that the training text never had.
func (b *Bayes) of(f uint64) []float32 {
	row, known := b.rows[f]
	if !known {
		return nil
	}
	return b.ratios[row*len(b.priors):][:len(b.priors)]
}

// Predict returns the likeliest style of every sentence, of equally likely ones the first. What the
// training text never had says nothing.
func (b *Bayes) Predict(ids [][]int64) []int {
	out, sums := make([]int, len(ids)), make([]float64, len(b.priors))
	for i, row := range ids {
		for k, prior := range b.priors {
			sums[k] = float64(prior)
		}
		features(row, func(f uint64) {
			for k, ratio := range b.of(f) {
				sums[k] += float64(ratio)
			}
		})
		best := 0.0 // of style 0
		for k, sum := range sums {
			if sum > best {
				out[i], best = k+1, sum
			}
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
func (b *Bayes) Features() int { return len(b.rows) }

// Names of the tensors in a Bayes' file.
const (
	featuresName = "features" // I64 [F], ascending
	ratiosName   = "ratios"   // F32 [F * (styles - 1)], a row a feature
	priorName    = "prior"    // F32 [styles - 1]
)

// Save writes the weights as safetensors, complete or not at all.
func (b *Bayes) Save(path string) error {
	keys := slices.Sorted(maps.Keys(b.rows))
	ratios := make([]float32, 0, len(b.ratios))
	for _, f := range keys {
		ratios = append(ratios, b.of(f)...)
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
		add(priorName, safetensors.F32, len(b.priors), asBytes(b.priors)),
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
	priors, err := column[float32](file, path, priorName, safetensors.F32)
	if err != nil {
		return nil, err
	}
	if len(priors) == 0 || len(keys)*len(priors) != len(ratios) {
		return nil, fmt.Errorf("reading %q: %d features have %d ratios and %d priors",
			path, len(keys), len(ratios), len(priors))
	}
	b := &Bayes{priors: priors, rows: make(map[uint64]int, len(keys)), ratios: ratios}
	for i, f := range keys {
		b.rows[f] = i
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
