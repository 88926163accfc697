package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Control returns the first control character of a name, or -1 if there is none. Tabs count too.
// Control characters break tables and CSV, and a terminal may obey them.
func Control(name string) rune {
	for _, r := range name {
		if unicode.IsControl(r) {
			return r
		}
	}
	return -1
}

// Visible makes text from outside safe for a terminal. It writes control characters in Go's escape
// notation, for example \x1b for the escape character. It does the same with marks that change the
// writing direction and with bytes that are not UTF-8. Tabs and line breaks stay. Visible leaves
// its own result unchanged.
func Visible(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == utf8.RuneError:
			b.WriteRune(r)
		case unseen(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unseen(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// VisibleLine does the same as Visible, but also escapes tabs and line breaks, so that the text
// stays one line.
func VisibleLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\u2028", `\u2028`, "\u2029", `\u2029`).
		Replace(Visible(text))
}

// unseen reports whether a terminal might obey r instead of showing it. This includes
// utf8.RuneError, which stands for invalid UTF-8, because older terminals take some invalid bytes
// for control characters.
func unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == utf8.RuneError:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
