package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns a text in one Unicode form (NFC), without control and format characters that
// nobody sees, such as the bell, the soft hyphen and the byte order mark. White space stays.
// Joiners between letters and in emoji stay, because words and pictures change without them.
func Normal(text string) string {
	if plainASCII(text) {
		return text
	}
	var b strings.Builder
	before := rune(0) // the last one that stays
	for i, r := range text {
		if isHidden(r) && !(isJoined(before) && keepsMeaning(r, text[i+utf8.RuneLen(r):])) {
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return norm.NFC.String(b.String())
}

// plainASCII tells texts that Normal leaves as they are, as most English ones are.
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
	nonJoiner = '\u200c' // parts letters of Persian or Sinhala, which otherwise join
	joiner    = '\u200d' // joins letters, or pictures to one
)

// isTag tells the characters that spell which flag a black flag is.
func isTag(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }

// isJoined tells what a joiner or a tag can follow.
func isJoined(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.In(r, unicode.So, unicode.Sk) || isTag(r)
}

// keepsMeaning tells whether a hidden character changes what is read, given the text behind it.
func keepsMeaning(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return isTag(r) || (r == joiner || r == nonJoiner) && isJoined(next)
}
