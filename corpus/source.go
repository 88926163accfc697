package corpus

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Source is a user's text cut into words, which remembers how the user wrote them.
type Source struct {
	Words  Sentence // as Tokenize returns them
	spelt  []string // the user's spelling of each
	joined []bool   // no white space stood before the word
}

// Cut is Tokenize that remembers how the text was written.
func Cut(raw string) (*Source, error) {
	s := &Source{}
	err := eachPiece(raw, func(raw string, words []string) {
		spelt := spellings(raw, words)
		for k, w := range words {
			s.Words, s.joined = append(s.Words, w), append(s.joined, k > 0 && spelt != nil)
			if spelt != nil {
				w = spelt[k]
			}
			s.spelt = append(s.spelt, w)
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// eachPiece cuts a text at white space and calls found with every piece and its words. The errors
// are Tokenize's.
func eachPiece(raw string, found func(piece string, words []string)) (err error) {
	if !utf8.ValidString(raw) {
		return userr.New(userr.BadInput, "the text is not UTF-8: convert it to UTF-8")
	}
	if strings.ContainsRune(raw, 0) { // the only control character that is never in text: UTF-16 has it
		return userr.New(
			userr.BadInput, "the text has the character U+0000: take it out, or convert the file to UTF-8 if it is UTF-16",
		)
	}
	defer func() { // the pre-tokenizer is other people's code: a panic in it must not end a user's session
		if p := recover(); p != nil {
			err = fmt.Errorf("tokenizing the text: %v", p)
		}
	}()
	n := 0
	for raw := range strings.FieldsSeq(strings.Map(visible, raw)) {
		piece := typography.Replace(raw)
		if len(piece) > maxPiece {
			return userr.New(
				userr.BadInput,
				"the text has a word of %d bytes (%.20q...) and at most %d are allowed: put spaces between words",
				len(piece), piece, maxPiece,
			)
		}
		words := splitPiece(piece)
		if n += len(words); n > maxWords {
			return userr.New(
				userr.BadInput, "the text has more than %d words: give one sentence at a time", maxWords,
			)
		}
		found(raw, words)
	}
	if n == 0 {
		return userr.New(userr.BadInput, "the text has no words: give a sentence")
	}
	return nil
}

// spellings returns which part of a piece each of its words comes from, nil where one sign of it
// went into two words.
func spellings(piece string, words []string) []string {
	if len(words) == 1 {
		return []string{piece}
	}
	spelt := make([]string, 0, len(words))
	from, left := 0, words
	rest := left[0]
	for i, r := range piece {
		became := strings.ToLower(typography.Replace(string(r)))
		if r == '"' && !strings.HasPrefix(rest, became) {
			became = rest[:min(2, len(rest))] // `` or ''
		}
		if !strings.HasPrefix(rest, became) {
			return nil
		}
		if rest = rest[len(became):]; rest != "" {
			continue
		}
		to := i + utf8.RuneLen(r)
		spelt = append(spelt, piece[from:to])
		from, left = to, left[1:]
		if len(left) == 0 {
			if to < len(piece) {
				return nil
			}
			return spelt
		}
		rest = left[0]
	}
	return nil
}
