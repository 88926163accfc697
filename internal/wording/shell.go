package wording

import "strings"

// Command returns the command line of some words, as a shell reads it.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

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
