package folder

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sugarme/tokenizer/model/wordpiece"
	lib "github.com/sugarme/tokenizer/normalizer"
	"golang.org/x/text/unicode/norm"
)

// Tokenizer cuts text into WordPiece pieces, as transformers does with the same files.
type Tokenizer struct {
	CLS, SEP, Mask, Unk int64 // ids of the special tokens

	size              int         // one more than the largest id that a text can have
	maxPieces         int         // maximum number of pieces of a text, with [CLS] and [SEP]
	exact, normalized tokenFinder // find added tokens in the text as it is, and in the normalised text
	normalizer        normalizer
	wordPiece         wordpiece.WordPiece
}

// Len returns one more than the largest id of a piece.
func (t *Tokenizer) Len() int { return t.size }

// Encode returns the ids of a text's pieces between [CLS] and [SEP], as transformers'
// tokenizer(text)["input_ids"] does, without truncation.
func (t *Tokenizer) Encode(text string) []int64 {
	return append(append([]int64{t.CLS}, t.pieces(text)...), t.SEP)
}

// Word returns the ids of a word's pieces, at least one.
func (t *Tokenizer) Word(word string) []int64 {
	ids := t.pieces(word)
	if len(ids) == 0 {
		return []int64{t.Unk}
	}
	return ids
}

func (t *Tokenizer) pieces(text string) []int64 {
	return t.exact.split(text, func(part string) []int64 {
		return t.normalized.split(t.normalizer.normalize(part), t.wordPieces)
	})
}

// tokenFinder finds added tokens in a text. It prefers the longest.
type tokenFinder struct {
	ids     map[string]int64
	pattern *regexp.Regexp
}

func newFinder(ids map[string]int64) tokenFinder {
	delete(ids, "")
	tokens := slices.SortedFunc(maps.Keys(ids), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, token := range tokens {
		tokens[i] = regexp.QuoteMeta(token)
	}
	return tokenFinder{ids, regexp.MustCompile(strings.Join(tokens, "|"))}
}

// split returns the ids of a text: those of the added tokens, and what the function rest returns
// for the text between them.
func (f tokenFinder) split(text string, rest func(string) []int64) (ids []int64) {
	if len(f.ids) == 0 {
		return rest(text)
	}
	start := 0
	for _, match := range f.pattern.FindAllStringIndex(text, -1) {
		ids = append(ids, rest(text[start:match[0]])...)
		ids = append(ids, f.ids[text[match[0]:match[1]]])
		start = match[1]
	}
	return append(ids, rest(text[start:])...)
}

// wordPieces returns the pieces of a normalised text without added tokens.
func (t *Tokenizer) wordPieces(text string) (ids []int64) {
	for _, word := range strings.Fields(spaced(text, lib.IsBertPunctuation)) {
		tokens, _ := t.wordPiece.Tokenize(word) // cannot fail: newTokenizer requires the piece for unknown words
		for _, token := range tokens {
			ids = append(ids, int64(token.Id))
		}
	}
	return ids
}

// normalizer rewrites a text before WordPiece cuts it. The library's BertNormalizer cannot be used:
// in v0.3.0 it panics at "İ", keeps the accent of "é", keeps tabs and wide spaces, and does not
// separate the ideographs from U+3400 to U+4DBF.
type normalizer struct {
	lowercase, stripAccents bool
	separateChinese         bool // set if spaces are put around each ideograph
}

func (n normalizer) normalize(text string) string {
	text = strings.Map(cleaned, text)
	if n.separateChinese {
		text = spaced(text, func(r rune) bool { return unicode.Is(chinese, r) })
	}
	if n.stripAccents {
		text = strings.Map(withoutMarks, norm.NFD.String(text))
	}
	if n.lowercase {
		// Go lower-cases İ to one rune, but the tokenizers library lower-cases it to two.
		text = strings.ToLower(strings.ReplaceAll(text, "İ", "i̇"))
	}
	return text
}

// The function cleaned drops control characters and turns white space into spaces.
func cleaned(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

func withoutMarks(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

// The function spaced puts spaces around the runes for which the function separate returns true.
func spaced(text string, separate func(rune) bool) string {
	var b strings.Builder
	for _, r := range text {
		if separate(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// chinese are the CJK ideograph blocks that the tokenizers library separates.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2a6df, Stride: 1},
		{Lo: 0x2a700, Hi: 0x2b81f, Stride: 1},
		{Lo: 0x2b920, Hi: 0x2ceaf, Stride: 1},
		{Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1},
	},
}
