package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Control returns the first control character of a name, a tab too, and -1 if there is none: it
// would break tables and CSV, and a terminal might obey it.
func Control(name string) rune {
	for _, r := range name {
		if unicode.IsControl(r) {
			return r
		}
	}
	return -1
}

// Visible is a text of somebody else's for a terminal: control characters are written as Go writes
// them in quotation marks, an escape as \x1b, and so are the marks that turn the direction of
// writing and bytes that are not UTF-8. Tabs and line breaks stay. It leaves its own results as
// they are.
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

// VisibleLine is Visible of what belongs in one line: tabs and line breaks are written out too.
func VisibleLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\u2028", `\u2028`, "\u2029", `\u2029`).
		Replace(Visible(text))
}

// unseen tells a character that a terminal might obey instead of showing it. Bytes that are not
// UTF-8 are among them: older terminals take some for control characters.
func unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == utf8.RuneError:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
