package table

import (
	"slices"
	"strings"
)

// stressed is a text of a cell, or "" where it is merged with the one above, escaped word by word,
// with open and end around each run of the words that are set apart.
func (c *Cell) stressed(text string, escape func(string) string, open, end string) string {
	if text == "" || !slices.Contains(c.Stress, true) {
		return escape(text)
	}
	words := strings.Split(text, " ")
	is := func(i int) bool { return i >= 0 && i < len(words) && i < len(c.Stress) && c.Stress[i] }
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if is(i) && !is(i-1) {
			b.WriteString(open)
		}
		b.WriteString(escape(w))
		if is(i) && !is(i+1) {
			b.WriteString(end)
		}
	}
	return b.String()
}
