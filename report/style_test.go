package report

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// TestOneStyleOfHeads checks the heads of columns. The head of a column of names begins with a
// capital letter, unless it is the key of a setting. A note that defines a column writes its head
// in the same letter case.
func TestOneStyleOfHeads(t *testing.T) {
	for name, made := range tables() {
		flat := map[string]string{} // maps lower-cased heads to heads
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
