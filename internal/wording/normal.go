package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns text in Unicode form NFC, without invisible characters such as the bell, the soft
// hyphen and the byte order mark. White space stays. Invisible characters that change how words or
// pictures look also stay: joiners and variation selectors where the script has them, and the
// zero-width space that separates words in Khmer, Lao, Thai and Burmese.
func Normal(text string) string {
	if plainASCII(text) {
		return text
	}
	var b strings.Builder
	previous := rune(0) // the last rune that was kept
	for i, r := range text {
		if isHidden(r) && !keepsMeaning(previous, r, text[i+utf8.RuneLen(r):]) {
			continue
		}
		b.WriteRune(r)
		previous = r
	}
	return norm.NFC.String(b.String())
}

// plainASCII reports whether text is printable ASCII, as most English text is. Normal leaves such
// text unchanged.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

func isHidden(r rune) bool {
	return !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}

const (
	zeroWidthSpace = '\u200b'
	nonJoiner      = '\u200c' // separates letters, as in Persian or Sinhala, that would otherwise join
	joiner         = '\u200d' // joins letters, or combines several pictures into one
	vowelSeparator = '\u180e' // stands before the last vowel of some Mongolian words
	keycap         = '\u20e3' // encloses a digit
)

// keepsMeaning reports whether the invisible character r matters to a reader. previous is the rune
// before r that was kept, or 0, and rest is the text after r.
func keepsMeaning(previous, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == zeroWidthSpace:
		return unicode.In(previous, unicode.Khmer, unicode.Lao, unicode.Thai, unicode.Myanmar) && isJoined(next)
	case r == joiner || r == nonJoiner || r == vowelSeparator:
		return isJoined(previous) && isJoined(next)
	case unicode.Is(unicode.Variation_Selector, r):
		return isJoined(previous) || unicode.In(previous, unicode.S, unicode.P) || next == keycap
	default:
		return isJoined(previous) && (isTag(r) || !unicode.In(r, unicode.Cc, unicode.Cf))
	}
}

// isJoined reports whether an invisible character beside r can change how r looks. In Latin, Greek
// and Cyrillic words, none can.
func isJoined(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) ||
		unicode.In(r, unicode.M, unicode.So, unicode.Sk) || isTag(r)
}

// isTag reports whether r is a tag character. Tags after a black flag name the flag's region.
func isTag(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }
