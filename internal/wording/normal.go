package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns text in Unicode form NFC, without invisible control and format characters such as
// the bell, the soft hyphen and the byte order mark. White space stays. Joiners between letters and
// in emoji also stay, because words and pictures would change without them.
func Normal(text string) string {
	if plainASCII(text) {
		return text
	}
	var b strings.Builder
	previous := rune(0) // the last rune that was kept
	for i, r := range text {
		if isHidden(r) && !(isJoined(previous) && keepsMeaning(r, text[i+utf8.RuneLen(r):])) {
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

func isHidden(r rune) bool { return !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf) }

const (
	nonJoiner = '\u200c' // separates letters, as in Persian or Sinhala, that would otherwise join
	joiner    = '\u200d' // joins letters, or combines several pictures into one
)

// isTag reports whether r is a tag character. Tags after a black flag name the flag's region.
func isTag(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }

// isJoined reports whether r can stand beside a joiner or before a tag.
func isJoined(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.In(r, unicode.So, unicode.Sk) || isTag(r)
}

// keepsMeaning reports whether the invisible character r matters to a reader. rest is the text
// after r.
func keepsMeaning(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return isTag(r) || (r == joiner || r == nonJoiner) && isJoined(next)
}
