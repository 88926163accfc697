// Package embedding compares sentences by word vectors, in the three ways of nlg-eval (Sharma et
// al. 2017): the cosine of the averaged vectors (Foltz et al. 1998), that of the vector extrema
// (Forgues et al. 2014), and greedy matching (Rus and Lintean 2012). The vectors are those of any
// GloVe, word2vec or fastText text file, or small ones that Train makes of a data set's own text.
package embedding

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"hash"
	"io"
	"math"
	"strconv"
)

// Vectors are word vectors. They do not change and are safe for concurrent use.
type Vectors struct {
	// Origin says how vectors of our own were trained, as Train sets it; "" for any other. A file
	// does not hold it: who loads own vectors sets it again, before NewJudge.
	Origin string

	dim   int
	words []string         // those kept, in the order of the file
	ids   map[string]int32 // of words
	data  []float32        // len(words)+1 rows of dim: those of words, then the mean of all vectors of the file
	total int              // vectors in the file, kept or not
	hash  string
}

// Dim returns the length of a vector.
func (v *Vectors) Dim() int { return v.dim }

// Words returns the words that have vectors, in the order of the file; the caller must not change
// it.
func (v *Vectors) Words() []string { return v.words }

// Total returns how many vectors the file has, those counted that LoadOnly did not keep.
func (v *Vectors) Total() int { return v.total }

// Vector returns the vector of a word, nil for an unknown one; the caller must not change it.
func (v *Vectors) Vector(word string) []float32 {
	if id, ok := v.ids[word]; ok {
		return v.row(id)
	}
	return nil
}

// Unknown returns what stands for a word without vector: the mean of all vectors of the file, as in
// nlg-eval; the caller must not change it.
func (v *Vectors) Unknown() []float32 { return v.row(v.unknown()) }

// Hash returns the first 12 hexadecimal digits of a SHA-256 over all words and values of the file.
// It does not depend on which words were kept, on how the numbers are written, or on compression.
func (v *Vectors) Hash() string { return v.hash }

func (v *Vectors) unknown() int32 { return int32(len(v.words)) }

func (v *Vectors) row(id int32) []float32 {
	return v.data[int(id)*v.dim:][:v.dim:v.dim]
}

// Save writes the vectors as a word2vec text file: a line "count dim", then a line for each word,
// with as many digits as it takes to read the same values again. Of vectors that LoadOnly thinned
// out it writes those kept, whose mean and hash are others.
func (v *Vectors) Save(path string) error {
	return files.Write(path, v.write)
}

func (v *Vectors) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := strconv.AppendInt(nil, int64(len(v.words)), 10)
	line = strconv.AppendInt(append(line, ' '), int64(v.dim), 10)
	for i, word := range v.words {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		line = append(line[:0], word...)
		for _, x := range v.row(int32(i)) {
			line = strconv.AppendFloat(append(line, ' '), float64(x), 'g', -1, 32)
		}
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	return out.Flush()
}

// builder collects vectors one at a time.
type builder struct {
	v      *Vectors
	sum    []float64
	digest hash.Hash
	bytes  []byte
}

func newBuilder(dim int) *builder {
	return &builder{
		v:      &Vectors{dim: dim, ids: map[string]int32{}},
		sum:    make([]float64, dim),
		digest: sha256.New(),
	}
}

// add takes the vector of a word into the mean and the hash, and keeps it if keep says so and the
// word has none yet.
func (b *builder) add(word []byte, vector []float32, keep func(string) bool) {
	b.bytes = append(append(b.bytes[:0], word...), '\n')
	for i, x := range vector {
		b.sum[i] += float64(x)
		b.bytes = binary.LittleEndian.AppendUint32(b.bytes, math.Float32bits(x))
	}
	b.digest.Write(b.bytes)
	b.v.total++
	if _, known := b.v.ids[string(word)]; known {
		return
	}
	if w := string(word); keep == nil || keep(w) {
		b.v.ids[w] = int32(len(b.v.words))
		b.v.words = append(b.v.words, w)
		b.v.data = append(b.v.data, vector...)
	}
}

func (b *builder) finish() *Vectors {
	for _, s := range b.sum {
		b.v.data = append(b.v.data, float32(s/float64(b.v.total)))
	}
	b.v.hash = hex.EncodeToString(b.digest.Sum(nil))[:12]
	return b.v
}
