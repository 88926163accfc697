package wording

import (
	"strings"
	"unicode"
)

// Control returns the first control character of a name, a tab too, and -1 if there is none: it
// would break tables and CSV, and a terminal might obey it.
func Control(name string) rune {
	if i := strings.IndexFunc(name, unicode.IsControl); i >= 0 {
		for _, r := range name[i:] {
			return r
		}
	}
	return -1
}
