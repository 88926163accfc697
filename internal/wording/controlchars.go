package wording

import "unicode"

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
