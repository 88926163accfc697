package report

import (
	"strings"
	"testing"
)

// Words that the source has not, by hand; those that it has elsewhere count as moved.
func TestReplaced(t *testing.T) {
	for _, c := range []struct {
		source, output string
		want           string // x: put there
	}{
		{"the food was cold .", "the food was great .", "...x."},
		{"the food was cold .", "the food was cold .", "....."},
		{"a b c", "b c d", "..x"},
		{"a", "", ""},
		{"", "a b", "xx"},
		{"a b", "b a", ".x"},
		{"best", "best best best", ".xx"},
	} {
		var got strings.Builder
		for _, put := range Replaced(strings.Fields(c.source), strings.Fields(c.output)) {
			got.WriteByte(map[bool]byte{true: 'x', false: '.'}[put])
		}
		if got.String() != c.want {
			t.Errorf("%q, %q: %s, want %s", c.source, c.output, got.String(), c.want)
		}
	}
}
