package corpus

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// spacelessScripts lists scripts that are written without spaces between words.
var spacelessScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham,
	unicode.Tai_Viet, unicode.Ahom,
}

// spaceless reports whether r is a letter or mark of a script written without spaces. Digits of
// such scripts are not spaceless, because they form numbers.
func spaceless(r rune) bool {
	if r < 0x0E00 { // Thai is the first of these scripts in Unicode
		return false
	}
	return r == 'ー' || r == 'ｰ' || // used in both Hiragana and Katakana, so neither table has it
		unicode.In(r, spacelessScripts...) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// pieces cuts text so that each character of a script without spaces is a piece. A character is a
// grapheme cluster, so marks stay with their letter. Other text stays whole.
func pieces(piece string) (cut []string) {
	between := 0 // start of the bytes that are in no piece yet
	rest, state := piece, -1
	offset := 0
	for rest != "" {
		var character string
		character, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		// A punctuation sign may carry a combining mark of such a script. Then the sign stays with
		// the text before it, and a piece begins with the mark.
		if index := strings.IndexFunc(character, spaceless); index >= 0 {
			if between < offset+index {
				cut = append(cut, piece[between:offset+index])
			}
			cut = append(cut, character[index:])
			between = offset + len(character)
		}
		offset += len(character)
	}
	if between < offset {
		cut = append(cut, piece[between:])
	}
	return cut
}

// Spacing counts letters and white space to detect text written without spaces.
type Spacing struct {
	letters, spaceless int
	gaps               int // pairs of spaceless letters with white space between them
}

// Text counts as written without spaces if at least 1 % of its letters belong to a script without
// spaces, and if white space follows few of these letters. In text with spaces between words, there
// is a space after about two letters in Chinese and four in Thai. In text with spaces only between
// phrases, there are ten letters or more between two spaces.
const (
	minSpaceless = 0.01
	maxGaps      = 1. / 6
)

// Add counts a text.
func (s *Spacing) Add(text string) {
	// afterSpaceless is set if the last letter or sign was spaceless, and space is set if white
	// space followed it.
	afterSpaceless, space := false, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsMark(r):
			continue
		case unicode.IsLetter(r):
			s.letters++
		}
		isSpaceless := spaceless(r)
		if isSpaceless {
			s.spaceless++
			if afterSpaceless && space {
				s.gaps++
			}
		}
		afterSpaceless, space = isSpaceless, false
	}
}

// Without reports whether the counted text has no spaces between words.
func (s *Spacing) Without() bool {
	return s.spaceless > 0 && float64(s.spaceless) >= minSpaceless*float64(s.letters) &&
		float64(s.gaps) < maxGaps*float64(s.spaceless)
}

// mostlyCharacters is the minimum share of one-character words in a text that was cut into
// characters. Only words in scripts without spaces count. In text that was cut into real words, the
// share is lower.
const mostlyCharacters = 0.95

// CuttingOf infers from a vocabulary how its text was cut into words. White space separates the
// words of the vocabulary.
func CuttingOf(vocabulary string) Cutting {
	single, total := 0, 0
	for word := range strings.FieldsSeq(vocabulary) {
		if strings.IndexFunc(word, spaceless) < 0 {
			continue
		}
		if total++; len(pieces(word)) == 1 {
			single++
		}
	}
	return Cutting{Characters: total > 0 && float64(single) >= mostlyCharacters*float64(total)}
}

// Cutting returns how text is cut into words of this vocabulary.
func (v *Vocab) Cutting() Cutting { return CuttingOf(strings.Join(v.words, "\n")) }
