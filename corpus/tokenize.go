package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/normalizer"
	"github.com/sugarme/tokenizer/pretokenizer"
)

// maxPiece is the most bytes between two white spaces; the library takes some hundred bytes of
// memory a byte.
const maxPiece = 1000

// Tokenize cuts a user's text into words like those of the corpora (lower case, Penn Treebank
// style): "I don't like it." becomes i do n't like it . White space of any kind, line ends
// included, separates; punctuation is set apart by the BERT pre-tokenizer, then what the corpora
// keep together is joined again (see join.go). Text that already looks like a corpus comes through
// unchanged, and so does the result of Tokenize. Digits stay digits. Refused with a userr.BadInput:
// text that is not UTF-8, has U+0000 or no words, more than maxWords words, over 1,000 bytes
// without white space.
func Tokenize(raw string) (words Sentence, err error) {
	err = eachPiece(raw, func(_ string, cut []string) { words = append(words, cut...) })
	if err != nil {
		return nil, err
	}
	return words, nil
}

// typography spells typewriter versions of printed signs, as the corpora do.
var typography = strings.NewReplacer("’", "'", "‘", "'", "“", "``", "”", "''", "—", "--", "…", "...")

// visible drops control and format characters (bell, soft hyphen, zero-width joiner, byte order
// mark, ...).
func visible(r rune) rune {
	if !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf) {
		return -1
	}
	return r
}

var (
	lower = normalizer.NewDefaultNormalizer(normalizer.WithLowercase(true), normalizer.WithStrip(false))
	bert  = pretokenizer.NewBertPreTokenizer()
)

// splitPiece cuts one piece of text without white space.
func splitPiece(piece string) []string {
	if plain(piece) {
		return []string{piece}
	}
	return cutPiece(piece)
}

// plain tells pieces that cutPiece leaves as they are, as most of a corpus are: it takes some ten
// microseconds each.
func plain(piece string) bool {
	for i := range len(piece) {
		if c := piece[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return len(piece) == 1 && c < utf8.RuneSelf && (c < 'A' || c > 'Z') // a sign
		}
	}
	return true
}

// cutPiece does what splitPiece says for any piece.
func cutPiece(piece string) []string {
	n, err := lower.Normalize(normalizer.NewNormalizedFrom(piece))
	if err != nil {
		panic(err) // Normalize of this normalizer always returns nil; Tokenize turns it into an error
	}
	// The library does not realign offsets after lower-casing, and Ⱥ is a byte shorter than ⱥ:
	// start afresh.
	piece = n.GetNormalized()
	if whole[piece] {
		return []string{piece}
	}
	cut, err := bert.PreTokenize(tokenizer.NewPreTokenizedString(piece))
	if err != nil {
		panic(err)
	}
	var atoms []string
	for _, t := range cut.GetSplits(normalizer.OriginalTarget, tokenizer.Byte) {
		atoms = append(atoms, t.Value)
	}
	return join(atoms)
}
