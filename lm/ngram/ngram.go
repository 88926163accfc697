// Package ngram has the trigrams of a text and the probabilities of its words. They tell guided
// decoding which words fit their neighbours, and which words are rare. The LSTM of package lm,
// which judges the outputs, is deliberately a different kind of model.
//
// The probability of a word w is that of single words in interpolated modified Kneser-Ney smoothing
// (Kneser and Ney 1995; Chen and Goodman 1999, section 3):
//
//	p(w) = (a(w) - D(a(w))) / sum_v a(v) + gamma / V   gamma = sum_v D(a(v)) / sum_v a(v)
//
// The sums are over the V words that can come next: the vocabulary, <unk> and <eos>. The count a(w)
// is the number of different words that precede w in the text. If the text is empty, p(w) = 1/V.
// The discounts are D(0) = 0 and
//
//	Y = n1 / (n1 + 2 n2)   D(1) = 1 - 2 Y n2/n1   D(2) = 2 - 3 Y n3/n2   D(3 and more) = 3 - 4 Y n4/n3
//
// where nk is the number of words with a = k. If the text is too small for these formulas (some nk
// is 0, or some D(k) is not in (0, k]), the discounts are 0.5, 1 and 1.5, as in KenLM (Heafield et
// al. 2013).
//
// A sentence begins with one <bos>, which is only context, and ends with <eos>. <unk> is a word
// like others. Ids beyond the vocabulary and special tokens inside a sentence count as <unk>,
// except <mask>.
package ngram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Model holds the trigrams of a text and ln p of its words. A Model does not change after it has
// been made, so it is safe for concurrent use.
type Model struct {
	logP     []float32 // ln p of each id of the vocabulary
	trigrams map[trigram]bool
}

// trigram holds the ids of three words in a row.
type trigram [3]uint32

// Train counts the trigrams and words of the sentences. The vocabulary has the ids below vocab.
func Train(sentences [][]int64, vocab int) *Model {
	m := &Model{logP: make([]float32, vocab), trigrams: map[trigram]bool{}}
	counts, pairs := make([]uint32, vocab), map[[2]uint32]bool{} // pairs holds all pairs of words in a row
	for _, s := range sentences {
		words := []uint32{corpus.BosID}
		for _, id := range s {
			words = append(words, m.classOf(id))
		}
		words = append(words, corpus.EosID)
		for i, w := range words[1:] {
			if pair := [2]uint32{words[i], w}; !pairs[pair] {
				pairs[pair] = true
				counts[w]++
			}
			if i > 0 {
				m.trigrams[trigram(words[i-1:i+2])] = true
			}
		}
	}
	m.weigh(counts)
	return m
}

// classOf returns id if it is the id of a word in the vocabulary or of <mask>, else the id of
// <unk>.
func (m *Model) classOf(id int64) uint32 {
	if id >= corpus.NumSpecial && id < int64(len(m.logP)) || id == corpus.MaskID {
		return uint32(id)
	}
	return corpus.UnkID
}

// weigh computes ln p from the count of each word.
func (m *Model) weigh(counts []uint32) {
	for id := range counts {
		if id < corpus.NumSpecial && id != corpus.UnkID && id != corpus.EosID {
			counts[id] = 0 // it cannot come next
		}
	}
	d, sum, kept := estimate(counts), 0.0, 0.0
	for _, c := range counts {
		sum += float64(c)
		kept += d.forCount(c)
	}
	gamma, words := 1.0, float64(len(counts)-corpus.NumSpecial+2)
	if sum > 0 {
		gamma = kept / sum
	}
	for id, c := range counts {
		p := gamma * (1 / words)
		if c > 0 {
			p += (float64(c) - d.forCount(c)) / sum
		}
		m.logP[id] = float32(math.Log(p))
	}
}

// discounts holds D(k) of the package comment at index k. The last discount also applies to all
// greater counts.
type discounts [4]float64

// forCount returns the discount of a count.
func (d *discounts) forCount(count uint32) float64 { return d[min(count, 3)] }

// estimate returns the discounts for the counts of all words.
func estimate(counts []uint32) discounts {
	var frequency [5]float64 // number of words by count
	for _, c := range counts {
		if c < uint32(len(frequency)) {
			frequency[c]++
		}
	}
	y := frequency[1] / (frequency[1] + 2*frequency[2])
	var d discounts
	for k := 1; k < len(d); k++ {
		d[k] = float64(k) - float64(k+1)*y*frequency[k+1]/frequency[k]
		if frequency[k+1] == 0 || !(d[k] > 0 && d[k] <= float64(k)) { // the negation also catches a d[k] that is NaN
			return discounts{0, 0.5, 1, 1.5}
		}
	}
	return d
}

// Has reports whether the text contains a trigram. <bos> and <eos> stand for the start and the end
// of a sentence.
func (m *Model) Has(ids [3]int64) bool {
	var words trigram
	for i, id := range ids {
		if words[i] = m.classOf(id); id == corpus.BosID || id == corpus.EosID {
			words[i] = uint32(id)
		}
	}
	return m.trigrams[words]
}

// UnigramLogProb returns ln p of a word.
func (m *Model) UnigramLogProb(id int64) float64 { return float64(m.logP[m.classOf(id)]) }

// Save writes the model as safetensors, complete or not at all. The same model gives the same
// bytes.
func (m *Model) Save(path string) error {
	trigrams := slices.SortedFunc(maps.Keys(m.trigrams), func(a, b trigram) int { return slices.Compare(a[:], b[:]) })
	views := map[string]safetensors.TensorView{}
	add := func(name string, dtype safetensors.DType, data any, shape ...uint64) error {
		raw, err := binary.Append(nil, binary.LittleEndian, data)
		if err == nil {
			views[name], err = safetensors.NewTensorView(dtype, shape, raw)
		}
		return err
	}
	err := errors.Join(
		add("log_p", safetensors.F32, m.logP, uint64(len(m.logP))),
		add("trigrams", safetensors.U32, trigrams, uint64(len(trigrams)), 3),
	)
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) })
}

// Load reads a model that Save wrote. For other files the error names the path and what is wrong.
func Load(path string) (*Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return m, nil
}

// decode builds a model from a file's bytes. Queries of a damaged file's model may give wrong
// results, but do not panic.
func decode(raw []byte) (*Model, error) {
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return nil, err
	}
	logP, known := file.Tensor("log_p")
	words, alsoKnown := file.Tensor("trigrams")
	if !known || !alsoKnown || logP.DType() != safetensors.F32 || words.DType() != safetensors.U32 {
		return nil, errors.New("it has no trigrams or no probabilities")
	}
	m := &Model{logP: make([]float32, len(logP.Data())/4), trigrams: map[trigram]bool{}}
	if len(m.logP) < corpus.NumSpecial {
		return nil, errors.New("it has too few probabilities")
	}
	trigrams := make([]trigram, len(words.Data())/12)
	_, err = binary.Decode(logP.Data(), binary.LittleEndian, m.logP)
	if err == nil {
		_, err = binary.Decode(words.Data(), binary.LittleEndian, trigrams)
	}
	if slices.ContainsFunc(m.logP, func(p float32) bool { return !(p <= 0 && p >= -math.MaxFloat32) }) {
		return nil, errors.New("it has log probabilities that are above 0 or not finite")
	}
	for _, t := range trigrams {
		m.trigrams[t] = true
	}
	return m, err
}
