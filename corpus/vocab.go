package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// The ids of the special tokens, which come before the words in every vocabulary. Src0 and Src1 are
// the codes that tell SMLM the source style, and Dst0 and Dst1 tell it the target style.
const (
	PadID = iota
	UnkID
	MaskID
	BosID
	EosID
	Src0
	Src1
	Dst0
	Dst1
	NumSpecial // number of special tokens for two styles; also the id of the most frequent word
)

var specials = [NumSpecial]string{
	"<pad>", "<unk>", MaskToken, "<bos>", "<eos>", "<src:0>", "<src:1>", "<dst:0>", "<dst:1>",
}

// Specials returns the number of special tokens for the given number of styles. This is also the id
// of the most frequent word. Each style from the third on adds two codes, after the special tokens
// that every vocabulary has.
func Specials(styles int) int { return NumSpecial + 2*max(0, styles-2) }

// SrcID returns the code of a source style.
func SrcID(style int) int64 {
	if style < 2 {
		return Src0 + int64(style)
	}
	return int64(Specials(style))
}

// DstID returns the code of a target style.
func DstID(style int) int64 {
	if style < 2 {
		return Dst0 + int64(style)
	}
	return SrcID(style) + 1
}

// moreSpecials returns the special tokens of the styles from the third on.
func moreSpecials(styles int) (codes []string) {
	for style := 2; style < styles; style++ {
		codes = append(codes, fmt.Sprintf("<src:%d>", style), fmt.Sprintf("<dst:%d>", style))
	}
	return codes
}

// isCode reports whether a word is spelt like the code of a style.
func isCode(word string) bool {
	number, ok := strings.CutPrefix(word, "<src:")
	if !ok {
		number, ok = strings.CutPrefix(word, "<dst:")
	}
	number, closed := strings.CutSuffix(number, ">")
	style, err := strconv.Atoi(number)
	return ok && closed && err == nil && strconv.Itoa(style) == number && style >= 0
}

// Vocab maps words to ids 0..Len()-1 and back. It never changes, so goroutines may share it.
type Vocab struct {
	words    []string
	ids      map[string]int64
	specials int64 // number of special tokens
}

// BuildVocab returns a vocabulary of the special tokens and the most frequent words of sentences,
// which are given by style. It keeps size words, or all if size <= 0. Among equally frequent words,
// it prefers those that come first in byte order. Words spelt like special tokens are not counted.
// There are special tokens for every style of the text, and at least for two.
func BuildVocab(sentences [][]Sentence, size int) *Vocab {
	counts := make(map[string]int)
	for _, part := range sentences {
		for _, words := range part {
			for _, w := range words {
				counts[w]++
			}
		}
	}
	codes := moreSpecials(len(sentences))
	for _, w := range slices.Concat(specials[:], codes) {
		delete(counts, w)
	}
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	if size > 0 && len(words) > size {
		words = words[:size]
	}
	all := slices.Concat(specials[:], codes, words)
	ids := make(map[string]int64, len(all))
	for i, w := range all {
		all[i] = strings.Clone(w) // cloned, because a slice of the file's text would keep the whole file in memory
		ids[all[i]] = int64(i)
	}
	return newVocab(all, ids)
}

func newVocab(words []string, ids map[string]int64) *Vocab {
	v := &Vocab{words: words, ids: ids, specials: NumSpecial}
	for n := 3; Specials(n) <= len(words) && slices.Equal(words[NumSpecial:Specials(n)], moreSpecials(n)); n++ {
		v.specials = int64(Specials(n))
	}
	return v
}

// Specials returns the number of special tokens, which is the id of the most frequent word.
func (v *Vocab) Specials() int { return int(v.specials) }

// Len is the number of words, special tokens included.
func (v *Vocab) Len() int { return len(v.words) }

// ID returns the id of a word or special token, or UnkID if it is unknown.
func (v *Vocab) ID(word string) int64 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return UnkID
}

// Word returns the word with an id, or "<unk>" if the id is invalid.
func (v *Vocab) Word(id int64) string {
	if id < 0 || id >= int64(len(v.words)) {
		return specials[UnkID]
	}
	return v.words[id]
}

// Unknown returns the number of words of a sentence that are not in the vocabulary.
func (v *Vocab) Unknown(s Sentence) (n int) {
	for _, id := range v.Encode(s) {
		if id == UnkID {
			n++
		}
	}
	return n
}

// Punctuation returns, by id, whether a word is a punctuation mark: a word without a letter or
// digit that is not a special token.
func (v *Vocab) Punctuation() []bool {
	marks := make([]bool, len(v.words))
	for id, word := range v.words {
		marks[id] = id >= v.Specials() && !strings.ContainsFunc(word, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsNumber(r)
		})
	}
	return marks
}

// Encode returns the ids of words. Text may contain <mask> and <unk>. A word spelt like any other
// special token becomes <unk>, because only models insert such tokens.
func (v *Vocab) Encode(s Sentence) []int64 {
	ids := make([]int64, len(s))
	for i, w := range s {
		id := v.ID(w)
		if id < v.specials && id != MaskID {
			id = UnkID
		}
		ids[i] = id
	}
	return ids
}

// EncodeAll encodes each sentence.
func (v *Vocab) EncodeAll(sentences []Sentence) [][]int64 {
	ids := make([][]int64, len(sentences))
	for i, words := range sentences {
		ids[i] = v.Encode(words)
	}
	return ids
}

// Decode returns the words of ids, special tokens included.
func (v *Vocab) Decode(ids []int64) Sentence {
	words := make(Sentence, len(ids))
	for i, id := range ids {
		words[i] = v.Word(id)
	}
	return words
}

// Save writes the vocabulary as text, one word per line: line n, from 0, has the word with id n.
func (v *Vocab) Save(path string) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(v.words, "\n")+"\n")
		return err
	})
}

// LoadVocab reads a file that Save wrote. It refuses, with path:line, special tokens that differ
// from those of this version, a repeated word, an empty line, white space in a word, and bytes that
// are not UTF-8.
func LoadVocab(path string) (*Vocab, error) {
	data, err := files.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(
			userr.BadInput, "the vocabulary %q does not exist: correct the path, or let run write it", path,
		)
	case err != nil:
		return nil, fmt.Errorf("reading the vocabulary %q: %w", path, files.Cause(err))
	}
	return parseVocab(path, data)
}

// parseVocab does the same as LoadVocab with the content of a file that was already read. Error
// messages show the parameter "name" as the path of the file.
func parseVocab(name string, data []byte) (*Vocab, error) {
	const again = "let run write it again"
	words := strings.Split(string(bytes.TrimSuffix(data, []byte{'\n'})), "\n")
	ids := make(map[string]int64, len(words))
	for i, w := range words {
		n := i + 1
		first, seen := ids[w]
		switch {
		case i < NumSpecial && w != specials[i]:
			return nil, userr.New(
				userr.BadInput, "%s:%d: the vocabulary has %q where the special token %s belongs: %s", name, n, w,
				specials[i], again,
			)
		case w == "" || strings.IndexFunc(w, unicode.IsSpace) >= 0:
			return nil, userr.New(
				userr.BadInput, "%s:%d: the vocabulary must have one word per line without white space, not "+
					"%q: %s", name, n,
				w, again,
			)
		case !utf8.ValidString(w):
			return nil, userr.New(userr.BadInput, "%s:%d: the vocabulary is not UTF-8: %s", name, n, again)
		case seen:
			return nil, userr.New(
				userr.BadInput, "%s:%d: the vocabulary has %q in line %d too: %s", name, n, w, first+1, again,
			)
		}
		ids[w] = int64(i)
	}
	if len(words) < NumSpecial {
		return nil, userr.New(
			userr.BadInput, "the vocabulary %q ends before its %d special tokens do: %s", name, NumSpecial, again,
		)
	}
	return newVocab(words, ids), nil
}

// MaskToken is how a masked word is written in text.
const MaskToken = "<mask>"

// Masked returns a copy of a sentence, given as words or ids, with the given token in place of
// masked words.
func Masked[W any](words []W, masks []bool, token W) []W {
	out := slices.Clone(words)
	for k, on := range masks {
		if on {
			out[k] = token
		}
	}
	return out
}

// CheckWords refuses a sentence with a word spelt like a special token, except <unk>, which some
// corpora have. A model that is trained on text with <mask> would learn to write <mask>. The other
// tokens would become unknown words.
func CheckWords(words Sentence) error {
	for _, w := range words {
		if w[0] == '<' && w != specials[UnkID] && (slices.Contains(specials[:], w) || isCode(w)) {
			return userr.New(
				userr.BadInput, "the line contains %q, which is reserved for the models: write it differently", w,
			)
		}
	}
	return nil
}

// checkWords calls CheckWords for every sentence of a file. Its error contains path:line.
func checkWords(path string, sentences []Sentence) error {
	for i, words := range sentences {
		if err := CheckWords(words); err != nil {
			return userr.New(userr.BadInput, "%s:%d: %w", path, i+1, err)
		}
	}
	return nil
}
