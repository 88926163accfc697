package corpus_test

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

func TestStyles(t *testing.T) {
	for _, c := range []struct {
		labels, want string
	}{
		{"negative positive", "negative to positive, positive to negative"},
		{"a b c", "a to b, a to c, b to a, b to c, c to a, c to b"},
	} {
		styles := corpus.Styles(strings.Fields(c.labels))
		var names []string
		for _, d := range styles.Directions() {
			names = append(names, styles.Name(d))
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("the directions of %s are %s, want %s", c.labels, got, c.want)
		}
		for style, label := range styles {
			if got := styles.Index(label); got != style {
				t.Errorf("%q is style %d of %s, want %d", label, got, c.labels, style)
			}
		}
		if got := styles.Index("d"); got != -1 {
			t.Errorf("an unknown label is style %d, want -1", got)
		}
	}
}
