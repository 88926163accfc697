package folder

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Tokenizer cuts text into the pieces that a folder's model reads, as transformers do with the same
// files: tokens that were added to the vocabulary are found, what is between them is normalised,
// cut, and each of the parts becomes pieces. It remembers parts that it saw and is for one
// goroutine.
//
// Of the library there are WordPiece, the letters for bytes and the list of punctuation. What it
// gets wrong in v0.3.0, beside the tokenizers library that transformers use:
//   - BPE merges equal pairs from the right: with the merge "a a", aaa becomes a aa in place of
//     aa a. A word of 16,000 bytes takes 6 s.
//   - Unigram knows no piece of over 20 bytes, which are 10 Cyrillic letters, and looks for the
//     least score of all pieces at each word.
//   - Precompiled keeps what should go, and panics at U+0301 after a letter.
//   - BertNormalizer does not set apart the Chinese of U+3400 to U+4DBF, reads strip_accents: null
//     as false, so that café is unknown, and panics at İ.
//   - ByteLevel makes one part of two tabs before a word in place of two, and a sign of U+3000.
//   - Metaspace takes a tab for a space.
//   - AddedVocabulary leaves the space before <mask>, which that token takes, compiles its patterns
//     anew for each text, and ends the program where one does not compile.
//
// Characters that Unicode has had since 2016 or later may be of another kind there: its tables are
// of many years.
type Tokenizer struct {
	vocabulary        map[string]int // of the model
	more              map[string]int // added tokens that it lacks
	added, normalized finder         // looked for in the text, and in the normalised text
	normalize         normalizer
	cut               cutter
	model             pieceMaker
	before, after     []int64 // what stands around a text
	special           Special
	known             map[string][]int64 // parts that the model cut already
}

// Special are the ids of the special tokens, -1 where there is none.
type Special struct{ CLS, SEP, Mask, Unk, Pad int64 }

const (
	mostKnown     = 1 << 16 // parts that are remembered
	mostKnownPart = 100     // bytes of one of them
)

// Len counts the pieces, added tokens included.
func (t *Tokenizer) Len() int { return len(t.vocabulary) + len(t.more) }

func (t *Tokenizer) id(piece string) (int, bool) {
	id, ok := t.vocabulary[piece]
	if !ok {
		id, ok = t.more[piece]
	}
	return id, ok
}

// Special returns the ids of the special tokens.
func (t *Tokenizer) Special() Special { return t.special }

// Encode returns the ids of a text's pieces as transformers' tokenizer(text)["input_ids"] has them,
// with special tokens around, however long it is.
func (t *Tokenizer) Encode(text string) ([]int64, error) {
	if !utf8.ValidString(text) {
		return nil, userr.New(userr.BadInput, "the text %.40q is not UTF-8: convert it", text)
	}
	return append(t.pieces(slices.Clone(t.before), text), t.after...), nil
}

// Word returns the pieces of a word as it stands after a space, without special tokens around; at
// least one.
func (t *Tokenizer) Word(word string) []int64 {
	ids := t.pieces(nil, " "+strings.ToValidUTF8(word, "\ufffd"))
	if len(ids) == 0 {
		return []int64{t.special.Unk}
	}
	return ids
}

// pieces appends the ids of a text's pieces.
func (t *Tokenizer) pieces(ids []int64, text string) []int64 {
	for i, s := range t.added.sections(text) {
		if s.token {
			ids = append(ids, s.id)
			continue
		}
		for j, s := range t.normalized.sections(t.normalize(s.text)) {
			if s.token {
				ids = append(ids, s.id)
				continue
			}
			if s.text == "" {
				continue
			}
			for _, part := range t.cut([]string{s.text}, i+j == 0) {
				ids = append(ids, t.part(part)...)
			}
		}
	}
	return ids
}

func (t *Tokenizer) part(part string) []int64 {
	if len(part) > mostKnownPart {
		return t.model.pieces(part)
	}
	ids, ok := t.known[part]
	if !ok {
		if len(t.known) == mostKnown {
			clear(t.known)
		}
		ids = t.model.pieces(part)
		t.known[part] = ids
	}
	return ids
}
