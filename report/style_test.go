package report

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// TestOneStyleOfHeads: a column of words that says what a row is begins with a capital, a setting
// is called as in the experiment file, and what a column is defined as begins with its head.
func TestOneStyleOfHeads(t *testing.T) {
	for name, made := range tables() {
		flat := map[string]string{} // heads, by their small letters
		for j, c := range made.Columns {
			head := table.Flat(c.Head)
			flat[strings.ToLower(head)] = head
			if j < made.Labels && c.Align == table.Left && !c.Setting && head != "" && head != "policy" &&
				!unicode.IsUpper(rune(head[0])) {
				t.Errorf("%s: the column %q tells rows apart and begins with a small letter", name, head)
			}
		}
		for _, said := range slices.Concat(made.Legend, made.Defines, made.Notes) {
			defined, _, is := strings.Cut(said, ": ")
			if head := flat[strings.ToLower(defined)]; is && head != "" && head != defined {
				t.Errorf("%s: %q is defined as %q", name, head, defined)
			}
		}
	}
}
