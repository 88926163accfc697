package corpus

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// spacelessScripts are written without spaces between words.
var spacelessScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham,
	unicode.Tai_Viet, unicode.Ahom,
}

// spaceless tells the letters and marks of a script that is written without spaces; its digits stay
// together as numbers do.
func spaceless(r rune) bool {
	if r < 0x0E00 { // of Thai, the first of these scripts
		return false
	}
	return r == 'ー' || r == 'ｰ' || // which lengthens vowels in two scripts, and so is of none
		unicode.In(r, spacelessScripts...) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// pieces cuts a piece of text so that each character of a script without spaces is one, as people
// see characters: marks are of the letter before them. What is between stays whole.
func pieces(piece string) (cut []string) {
	between := 0 // bytes before rest that are in no piece yet
	rest, state := piece, -1
	at := 0
	for rest != "" {
		var character string
		character, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		// A mark that was put behind another sign, which Tokenize cuts off, stands alone.
		if of := strings.IndexFunc(character, spaceless); of >= 0 {
			if between < at+of {
				cut = append(cut, piece[between:at+of])
			}
			cut = append(cut, character[of:])
			between = at + len(character)
		}
		at += len(character)
	}
	if between < at {
		cut = append(cut, piece[between:])
	}
	return cut
}

// Spacing counts how a text separates words, so that one written without spaces can be told.
type Spacing struct {
	letters, spaceless int
	gaps               int // white space between two letters of scripts without spaces
}

// How a text is told that is written without spaces: of a hundred letters one is of such a script,
// and few of these have white space behind them. Words that somebody set apart have two Chinese or
// four Thai letters, and phrases that people set apart ten and more.
const (
	leastSpaceless = 0.01
	mostGaps       = 1. / 6
)

// Add takes a text into account.
func (s *Spacing) Add(text string) {
	before, space := false, false // the last letter or sign was spaceless, and white space came after it
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
		now := spaceless(r)
		if now {
			s.spaceless++
			if before && space {
				s.gaps++
			}
		}
		before, space = now, false
	}
}

// Without tells a text written without spaces.
func (s *Spacing) Without() bool {
	return s.spaceless > 0 && float64(s.spaceless) >= leastSpaceless*float64(s.letters) &&
		float64(s.gaps) < mostGaps*float64(s.spaceless)
}

// mostlyCharacters is the share of the words of scripts without spaces that are one character each
// in a vocabulary of characters; of words that somebody set apart few are.
const mostlyCharacters = 0.95

// CuttingOf tells from words of a vocabulary, separated by white space, how the text was cut that
// they are of.
func CuttingOf(vocabulary string) Cutting {
	one, all := 0, 0
	for word := range strings.FieldsSeq(vocabulary) {
		if strings.IndexFunc(word, spaceless) < 0 {
			continue
		}
		if all++; len(pieces(word)) == 1 {
			one++
		}
	}
	return Cutting{Characters: all > 0 && float64(one) >= mostlyCharacters*float64(all)}
}

// Cutting returns how text is cut into words of this vocabulary.
func (v *Vocab) Cutting() Cutting { return CuttingOf(strings.Join(v.words, "\n")) }
