package naturalness

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// A weights file is UTF-8 text with one "TOKEN TAB WEIGHT" per line. Some rows are special, and
// these constants are their tokens. Every file begins with interceptRow. If the judge is from
// Train, the file continues with aboutRow (with the text Training.About in place of a weight),
// unknownWordRow and unknownPairRow. Only a file from Train has rows for word pairs, "A SPACE B",
// where an empty word stands for the edge of the sentence. Words come before the pairs that contain
// them.
const (
	interceptRow   = "__intercept__"
	aboutRow       = "__about__"
	unknownWordRow = "__unknown_word__"
	unknownPairRow = "__unknown_pair__"
)

// weightsFile is a parsed weights file. description is Training.About, or "" if the file is not
// from Train.
type weightsFile struct {
	linear
	description string
}

// parseWeights parses a weights file. name is the file's name in errors.
func parseWeights(name string, data []byte) (*weightsFile, error) {
	f := &weightsFile{linear: linear{ids: map[string]int32{}}}
	p := weightsParser{name: name, file: f}
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		p.line++
		if err := p.row(string(bytes.TrimSuffix(line, []byte("\n")))); err != nil {
			return nil, err
		}
	}
	if p.line == 0 {
		return nil, userr.New(userr.BadInput, "the naturalness weights file %q is empty; its first line must "+
			"be %q, a TAB and a number", name, interceptRow)
	}
	if len(f.words) == 0 {
		return nil, userr.New(userr.BadInput, "the naturalness weights file %q has no token; write one TOKEN "+
			"TAB WEIGHT per line after %q", name, interceptRow)
	}
	return f, nil
}

type weightsParser struct {
	name      string
	line      int
	file      *weightsFile
	extraRows int // how many of aboutRow, unknownWordRow and unknownPairRow were read
}

// fail returns an error that begins with "naturalness weights FILE:LINE:".
func (p *weightsParser) fail(format string, args ...any) error {
	return userr.New(userr.BadInput, "naturalness weights %s:%d: %s", p.name, p.line, fmt.Sprintf(format, args...))
}

func (p *weightsParser) row(line string) error {
	if !utf8.ValidString(line) {
		return p.fail("the line is not UTF-8 text; convert the file")
	}
	token, value, ok := strings.Cut(line, "\t")
	if !ok || strings.Contains(value, "\t") {
		return p.fail("the line must be a token, one TAB and a weight, but is %s", wording.Quoted(line))
	}
	if (p.line == 1) != (token == interceptRow) {
		return p.fail("%q must be the token of the first line only, but here the token is %s", interceptRow,
			wording.Quoted(token))
	}
	if token == aboutRow {
		if p.line != 2 {
			return p.fail("%q must be on the second line", aboutRow)
		}
		if _, err := parseTraining(value); err != nil {
			return p.fail("%q is followed by something that this program did not write: %s", aboutRow, wording.Quoted(value))
		}
		p.file.description, p.file.pairs, p.extraRows = value, map[pair]float64{}, 1
		return nil
	}
	weight, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(weight, 0) || math.IsNaN(weight) {
		return p.fail("the weight of %s must be a finite number, but is %s", wording.Quoted(token),
			wording.Quoted(value))
	}
	if p.line == 1 {
		p.file.intercept = weight
		return nil
	}
	return p.weight(token, weight)
}

// weight parses a row after the intercept.
func (p *weightsParser) weight(token string, weight float64) error {
	if want := [...]string{"", unknownWordRow, unknownPairRow, ""}[p.extraRows]; want != "" || token == unknownWordRow ||
		token == unknownPairRow {
		if token != want {
			return p.fail("the rows %q and %q must follow %q in this order, but here the token is %s", unknownWordRow,
				unknownPairRow, aboutRow, wording.Quoted(token))
		}
		if p.extraRows == 1 {
			p.file.unknownWord = weight
		} else {
			p.file.unknownPair = weight
		}
		p.extraRows++
		return nil
	}
	if p.extraRows > 0 && strings.Contains(token, " ") {
		return p.pair(token, weight)
	}
	if !storable(token) {
		return p.fail("a token must not be empty or contain white space, but is %s", wording.Quoted(token))
	}
	if _, twice := p.file.ids[token]; twice {
		return p.fail("the token %s has a weight already; keep one of the lines", wording.Quoted(token))
	}
	p.file.ids[token] = int32(len(p.file.words))
	p.file.words = append(p.file.words, token)
	p.file.weights = append(p.file.weights, weight)
	return nil
}

func (p *weightsParser) pair(token string, weight float64) error {
	var ids pair
	for i, w := range strings.SplitN(token, " ", 2) {
		id, known := p.file.ids[w]
		if w == "" {
			id, known = sentenceEdge, true
		}
		if !known {
			return p.fail("the word %s of the pair %s has no line of its own above", wording.Quoted(w),
				wording.Quoted(token))
		}
		ids[i] = id
	}
	if _, twice := p.file.pairs[ids]; twice {
		return p.fail("the pair %s has a weight already; keep one of the lines", wording.Quoted(token))
	}
	p.file.pairs[ids] = weight
	return nil
}

// write writes the file. parseWeights gets exactly the same numbers back.
func (f *weightsFile) write(w io.Writer) error {
	var b []byte
	row := func(token string, weight float64) {
		b = append(append(b, token...), '\t')
		b = append(strconv.AppendFloat(b, weight, 'g', -1, 64), '\n')
	}
	row(interceptRow, f.intercept)
	if f.description != "" {
		b = fmt.Appendf(b, "%s\t%s\n", aboutRow, f.description)
		row(unknownWordRow, f.unknownWord)
		row(unknownPairRow, f.unknownPair)
	}
	for i, token := range f.words {
		row(token, f.weights[i])
	}
	text := func(id int32) string {
		if id == sentenceEdge {
			return ""
		}
		return f.words[id]
	}
	for _, p := range f.sortedPairs() {
		row(text(p[0])+" "+text(p[1]), f.pairs[p])
	}
	_, err := w.Write(b)
	return err
}

func (f *weightsFile) sortedPairs() []pair {
	pairs := make([]pair, 0, len(f.pairs))
	for p := range f.pairs {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
	return pairs
}

// The function storable reports whether a word can be a token in a weights file.
func storable(word string) bool {
	switch word {
	case "", interceptRow, aboutRow, unknownWordRow, unknownPairRow:
		return false
	}
	return utf8.ValidString(word) && !strings.ContainsFunc(word, unicode.IsSpace)
}

func readWeights(path string) (*weightsFile, string, error) {
	data, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", userr.New(userr.BadInput, "the naturalness weights file %q does not exist; give the path of "+
			"a file of TOKEN TAB WEIGHT lines", path)
	}
	if err != nil {
		return nil, "", userr.New(userr.BadInput, "the naturalness weights file %q cannot be read: %w", path, err)
	}
	file, err := parseWeights(path, data)
	return file, shortHash(data), err
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// contentHash returns the hash that the written file will have.
func (f *weightsFile) contentHash() string {
	var b bytes.Buffer
	_ = f.write(&b) // a bytes.Buffer never fails
	return shortHash(b.Bytes())
}
