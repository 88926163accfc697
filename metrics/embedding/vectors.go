// Package embedding compares sentences by word vectors, with the three metrics of nlg-eval (Sharma
// et al. 2017): the cosine of the average vectors (Foltz et al. 1998), the cosine of the vector
// extrema (Forgues et al. 2014), and greedy matching (Rus and Lintean 2012). The vectors come from
// any GloVe, word2vec or fastText text file. Package metrics does not import this package, but uses
// it through metrics.EmbeddingJudge.
package embedding

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Vectors are word vectors. They are immutable and safe for concurrent use.
type Vectors struct {
	dim   int
	words []string         // the words that were kept, in the order of the file
	ids   map[string]int32 // for each word, its index in words
	data  []float32        // [len(words)+1, dim]; the last row is the mean of all vectors of the file
	total int              // number of all vectors in the file, including those that were not kept
	// hash has the first 12 hexadecimal digits of a SHA-256 over all words and values of the file.
	// It does not depend on which words were kept, on number formatting, or on compression.
	hash string
}

// Vector returns the vector of a word, or nil for an unknown word. The caller must not change it.
func (v *Vectors) Vector(word string) []float32 {
	if id, ok := v.ids[word]; ok {
		return v.row(id)
	}
	return nil
}

// CheckCoverage checks how many words of the texts have a vector. name is the name of the file, for
// messages. Below 90 % it returns a warning, because all words without a vector get the same
// vector, so sentences of such words look equal. Below 50 % it returns an error of kind
// userr.BadInput.
func (v *Vectors) CheckCoverage(name string, texts ...[][]string) (warning string, err error) {
	known, total := 0, 0
	for _, text := range texts {
		for _, words := range text {
			total += len(words)
			for _, word := range words {
				if v.describes(word) {
					known++
				}
			}
		}
	}
	found := fmt.Sprintf("%q has vectors for %d of the %s of the sentences", name, known, wording.Count(total, "word"))
	switch {
	case 2*known < total:
		return "", userr.New(userr.BadInput, "%s, too few to compare them: name vectors of the language and letter "+
			"case of the texts, or leave the vectors out", found)
	case 10*known < 9*total:
		return found + "; the others count as equal, so the embedding metrics are too high", nil
	}
	return "", nil
}

// describes reports whether a word has a vector that says something about it: neither 0 nor the
// mean of all vectors.
func (v *Vectors) describes(word string) bool {
	vector := v.Vector(word)
	return dot(vector, vector) > 0 && !slices.Equal(vector, v.Unknown())
}

// Unknown returns the vector for unknown words: the mean of all vectors of the file, as in
// nlg-eval. The caller must not change it.
func (v *Vectors) Unknown() []float32 { return v.row(v.unknown()) }

func (v *Vectors) unknown() int32 { return int32(len(v.words)) }

func (v *Vectors) row(id int32) []float32 {
	return v.data[int(id)*v.dim:][:v.dim:v.dim]
}

// Save writes the vectors as a word2vec text file: a line "count dim", then a line per word, with
// enough digits to read the same values again. After LoadOnly, it writes only the vectors that were
// kept, so the new file has another mean and another hash than the original.
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

// add adds a word's vector to the mean and the hash. It stores the vector if keep accepts the word
// and the word has no vector yet.
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

// maxLine is the maximum length of a line in bytes, enough for 50,000 dimensions.
const maxLine = 1 << 20

// Load reads a text file of word vectors, plain or compressed with gzip. Each line is a word and
// its values, separated by spaces or tabs, as in GloVe. The first line may instead hold the numbers
// of vectors and dimensions, as in word2vec and fastText. If a word occurs twice, its first vector
// counts. A word may contain spaces, as some in GloVe's largest files do. Errors are userr.BadInput
// and name the file and the line.
func Load(path string) (*Vectors, error) { return LoadOnly(path, nil) }

// LoadOnly is like Load, but stores only the words that keep accepts; nil accepts all. The file may
// be larger than memory, because the other vectors are not stored. Unknown and Whole still
// describe all vectors of the file.
func LoadOnly(path string, keep func(word string) bool) (*Vectors, error) { return load(path, keep, 0) }

// CheckHead checks the first lines of a file and returns the error that Load would return for them.
// With this check, a file of another kind is refused early.
func CheckHead(path string) error {
	_, err := load(path, func(string) bool { return false }, 100)
	return err
}

// load does the same as LoadOnly, but reads at most the given number of lines; 0 means all lines.
func load(path string, keep func(word string) bool, lines int) (*Vectors, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "the word vectors %q cannot be read (%w): correct the path", path,
			files.Cause(err))
	}
	defer f.Close()
	buffered := bufio.NewReaderSize(f, 1<<16)
	var text io.Reader = buffered
	head, _ := buffered.Peek(1000) // an error of Peek occurs again when the text is read
	switch kind, advice := files.Foreign(head); kind {
	case "":
	case files.Gzip:
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, userr.New(
				userr.BadInput,
				"%s cannot be unpacked: %w; give the file as it was published",
				path,
				err,
			)
		}
		text = unpacked
	default:
		return nil, userr.New(userr.BadInput, "the file of word vectors %q is %s: %s", path, kind, advice)
	}
	return parse(text, path, keep, lines)
}

// parse reads word vectors from at most limit lines of a text. A limit of 0 means all lines. name
// is the file's name in errors.
func parse(text io.Reader, name string, keep func(string) bool, limit int) (*Vectors, error) {
	r := reader{name: name, keep: keep, count: -1}
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	for lines.Scan() {
		text := lines.Bytes()
		if r.line++; r.line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if err := r.parseLine(bytes.TrimRight(text, " \t\r")); err != nil {
			return nil, err
		}
		if r.line == limit && r.builder != nil {
			return r.builder.finish(), nil
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.line++
		return nil, r.errorf("is longer than %d bytes; this is not a text file of word vectors", maxLine)
	case err != nil:
		return nil, userr.New(userr.BadInput, "%s is cut off or cannot be read after line %d (%w): download "+
			"it again", name,
			r.line, err)
	case r.builder == nil:
		return nil, userr.New(userr.BadInput, "%s contains no word vectors; give a file with a word and its "+
			"values on each line", name)
	case r.count >= 0 && r.builder.v.total != r.count:
		return nil, userr.New(
			userr.BadInput,
			"%s, line 1, announces %s, but the file has %d; download it again",
			name,
			wording.Count(r.count, "vector"),
			r.builder.v.total,
		)
	}
	return r.builder.finish(), nil
}

// reader holds the state while a file is read.
type reader struct {
	name    string
	keep    func(string) bool
	line    int      // current line number
	count   int      // number of vectors that the first line announces; -1 if it announces none
	builder *builder // nil before the first vector
	dim     int      // vector length; 0 before the first line is read
	fields  [][]byte
	vector  []float32
}

func (r *reader) errorf(format string, args ...any) error {
	return userr.New(userr.BadInput, "%s, line %d, %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// parseLine parses one line without trailing white space.
func (r *reader) parseLine(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	r.fields = split(r.fields[:0], line)
	if r.dim == 0 {
		if count, dim, ok := header(r.fields); ok {
			if dim < 1 || dim > maxLine {
				return r.errorf("announces vectors with %d dimensions, which cannot be right", dim)
			}
			r.count, r.dim = count, dim
			return nil
		}
		r.dim = len(r.fields) - 1
	}
	values := r.fields[1:]
	if r.dim == 0 {
		return r.errorf("has no numbers; give a text file of word vectors, a word and its values on each line")
	}
	extra := len(values) - r.dim // positive if the word contains spaces
	if extra > 0 {
		if _, err := number(values[0]); err == nil {
			return r.errorf("has %s instead of %d; all vectors must have the same length", wording.Count(len(values), "number"), r.dim)
		}
		values = values[extra:]
	}
	if extra < 0 {
		return r.errorf(
			"has %s instead of a word and %s; all vectors must have the same length",
			wording.Count(len(r.fields), "column"), wording.Count(r.dim, "number"),
		)
	}
	word := bytes.Trim(line[:cap(line)-cap(values[0])], " \t") // everything before the first number
	if r.builder == nil {
		r.builder, r.vector = newBuilder(r.dim), make([]float32, r.dim)
	}
	for i, field := range values {
		x, err := number(field)
		if err != nil {
			return r.errorf(
				"column %d, is %q, not a finite number; give a text file of word vectors",
				extra+i+2,
				shorten(field),
			)
		}
		r.vector[i] = x
	}
	r.builder.add(word, r.vector, r.keep)
	return nil
}

// header parses a first line with the number of vectors and their length.
func header(fields [][]byte) (count, dim int, ok bool) {
	if len(fields) != 2 {
		return 0, 0, false
	}
	count, err := strconv.Atoi(string(fields[0]))
	dim, err2 := strconv.Atoi(string(fields[1]))
	return count, dim, err == nil && err2 == nil && count >= 0
}

// split splits a line at spaces and tabs and appends the parts to fields. Other white space, such
// as the no-break space, may be part of a word.
func split(fields [][]byte, line []byte) [][]byte {
	start := -1
	for i, c := range line {
		space := c == ' ' || c == '\t'
		if !space && start < 0 {
			start = i
		} else if space && start >= 0 {
			fields = append(fields, line[start:i])
			start = -1
		}
	}
	if start >= 0 {
		fields = append(fields, line[start:])
	}
	return fields
}

var errNotFinite = errors.New("not finite")

func number(field []byte) (float32, error) {
	x, err := strconv.ParseFloat(string(field), 32)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = errNotFinite
	}
	return float32(x), err
}

// shorten limits a field to 30 bytes for a message.
func shorten(field []byte) []byte {
	return field[:min(len(field), 30)]
}

// Whole holds facts about a complete file of vectors. LoadPart needs these facts when it loads a
// file with only some of the vectors: the scores and signatures are then the same as with the
// complete file.
type Whole struct {
	Total int       `json:"total"` // number of vectors
	Hash  string    `json:"hash"`  // SHA-256 of all words and values, 12 digits
	Mean  []float32 `json:"mean"`  // mean of all vectors: the vector of unknown words
}

// Whole returns the facts that Save does not write: the number, the hash and the mean of all
// vectors of the complete file.
func (v *Vectors) Whole() Whole {
	return Whole{Total: v.total, Hash: v.hash, Mean: v.Unknown()}
}

// LoadPart reads a file from Save that holds only some of the vectors of a complete file. w
// describes the complete file.
func LoadPart(path string, w Whole) (*Vectors, error) {
	v, err := Load(path)
	if err != nil {
		return nil, err
	}
	if len(w.Mean) != v.dim {
		return nil, fmt.Errorf("the vectors %q have %d dimensions and their mean %d", path, v.dim, len(w.Mean))
	}
	v.total, v.hash = w.Total, w.Hash
	copy(v.row(v.unknown()), w.Mean)
	return v, nil
}
