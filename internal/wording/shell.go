package wording

import "strings"

// Command returns words as a shell command line, quoted if necessary.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

// Path returns a path as an argument of a command: a path that begins with "-" would be an option.
func Path(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// ShellWord returns a word of a command line, quoted if a shell would not take it literally.
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
