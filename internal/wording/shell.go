package wording

import "strings"

// ShellWord is a word of a command line, quoted where a shell would read it as something else.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_./=,:@%+", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' ||
			r >= 'A' && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
