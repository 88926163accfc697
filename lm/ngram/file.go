package ngram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// The keys of the file's metadata.
const (
	formatKey = "format"
	format    = "smlm-exp n-gram counts 1"
	orderKey  = "order"
	sumKey    = "crc32c" // checksum of the tensors' bytes, in the order of tensors()
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// tensor is one of the slices that a file contains. The probabilities are not saved, but computed
// from these slices.
type tensor struct {
	name string
	data *[]uint32
}

// tensors returns the slices of all levels. Level 1 has no slice of words, because its n-grams are
// numbered by word id.
func tensors(levels []level) []tensor {
	var out []tensor
	for k := range levels {
		l, n := &levels[k], strconv.Itoa(k+1)
		out = append(out, tensor{"count." + n, &l.count})
		if k > 0 {
			out = append(out, tensor{"word." + n, &l.word}, tensor{"suffix." + n, &l.suffix})
		}
		if k+1 < len(levels) {
			out = append(out, tensor{"first." + n, &l.first})
		}
	}
	return out
}

// Save writes the counts as safetensors, complete or not at all. The same model gives the same
// bytes.
func (m *Model) Save(path string) error {
	views, sum := map[string]safetensors.TensorView{}, uint32(0)
	for _, t := range tensors(m.levels) {
		raw, err := binary.Append(nil, binary.LittleEndian, *t.data)
		if err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, raw)
		views[t.name], err = safetensors.NewTensorView(safetensors.U32, []uint64{uint64(len(*t.data))}, raw)
		if err != nil {
			return fmt.Errorf("saving tensor %q: %w", t.name, err)
		}
	}
	metadata := map[string]string{
		formatKey: format, orderKey: strconv.Itoa(m.Order()), sumKey: checksum(sum),
	}
	return files.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, metadata, w) })
}

// Load reads a model that Save wrote. For other files the error names the path and what is wrong.
func Load(path string) (*Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := decode(raw, true)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return m, nil
}

// decode builds a model from a file's bytes. If verify is false, the checksum is not compared, and
// a damaged file may give a model with wrong numbers. Queries of that model still do not panic.
func decode(raw []byte, verify bool) (*Model, error) {
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return nil, err
	}
	_, header, err := safetensors.ReadMetadata(raw)
	if err != nil {
		return nil, err
	}
	metadata := header.Metadata()
	order, err := strconv.Atoi(metadata[orderKey])
	if metadata[formatKey] != format || err != nil || order < 1 || order > MaxOrder {
		return nil, errors.New("it is not an n-gram model that this program knows")
	}
	m, sum := &Model{levels: make([]level, order)}, uint32(0)
	for _, t := range tensors(m.levels) {
		view, ok := file.Tensor(t.name)
		if !ok || view.DType() != safetensors.U32 || len(view.Shape()) != 1 {
			return nil, fmt.Errorf("it has no list of whole numbers %q", t.name)
		}
		sum = crc32.Update(sum, castagnoli, view.Data())
		*t.data = make([]uint32, len(view.Data())/4)
		if _, err := binary.Decode(view.Data(), binary.LittleEndian, *t.data); err != nil {
			return nil, err
		}
	}
	if verify && metadata[sumKey] != checksum(sum) {
		return nil, errors.New("it is damaged: its checksum is wrong")
	}
	m.vocab = len(m.levels[0].count)
	if !m.isTrie() {
		return nil, errors.New("its n-grams do not fit together")
	}
	m.weigh()
	return m, nil
}

func checksum(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// isTrie tells whether the levels form a valid trie. In a valid trie, every n-gram of two or more
// words has a count above 0 and the right suffix (see hasRightSuffix).
func (m *Model) isTrie() bool {
	if m.vocab < corpus.NumSpecial || m.vocab > math.MaxInt32 {
		return false
	}
	for k := range m.Order() - 1 {
		l, next := &m.levels[k], &m.levels[k+1]
		n := len(next.word)
		if len(next.count) != n || len(next.suffix) != n || len(l.first) != len(l.count)+1 || l.first[0] != 0 ||
			l.first[len(l.count)] != uint32(n) || !slices.IsSorted(l.first) || slices.Contains(next.count, 0) {
			return false
		}
		for i := range l.count {
			for c := l.first[i]; c < l.first[i+1]; c++ {
				w := next.word[c]
				inOrder := c == l.first[i] || w > next.word[c-1]
				if int(w) >= m.vocab || !predicted(w) || !inOrder || !m.hasRightSuffix(k, i, c) {
					return false
				}
			}
		}
	}
	return true
}

// hasRightSuffix tells whether the suffix of n-gram c is right. N-gram c is n-gram i of levels[k]
// and one more word. So its suffix must be the suffix of i and the same word.
func (m *Model) hasRightSuffix(k, i int, c uint32) bool {
	l, next := &m.levels[k], &m.levels[k+1]
	s, word := next.suffix[c], next.word[c]
	if k == 0 { // the suffix of a bigram is its second word
		return s == word
	}
	children := m.levels[k-1].first[l.suffix[i]:]
	return s >= children[0] && s < children[1] && l.word[s] == word
}
