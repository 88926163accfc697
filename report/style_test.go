package report

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// TestOneStyleOfHeads checks that the heads of columns are written alike. A column of names has a
// head with a capital letter, unless the head is the key of a setting. A note that defines a column
// writes the column's head in the same letter case.
func TestOneStyleOfHeads(t *testing.T) {
	for name, made := range tables() {
		flat := map[string]string{} // maps each head in lower case to the head itself
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
