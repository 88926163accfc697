package report

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// TestOneStyleOfHeads: the head of a column of names begins with a capital. Settings have the names
// of their keys. A definition begins with the head of its column.
func TestOneStyleOfHeads(t *testing.T) {
	for name, made := range tables() {
		flat := map[string]string{} // heads, by their lower case
		for j, c := range made.Columns {
			head := table.Flat(c.Head)
			flat[strings.ToLower(head)] = head
			if j < made.Labels && c.Align == table.Left && !c.Setting && head != "" && head != "policy" &&
				!unicode.IsUpper(rune(head[0])) {
				t.Errorf("%s: the column of names %q begins with a small letter", name, head)
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
