package serve

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/report/table"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct{ source, output, want string }{
		{"the soup was cold .", "the soup was great .", "the soup was [great] ."},
		{"the soup was cold .", "the soup was cold .", "the soup was cold ."},
		{"a b", "", ""},
		{"", "a b", "[a] [b]"},
		{"a b c d", "b c x a d", "b c [x] [a] d"},
		{"no no yes", "no yes yes", "no yes [yes]"},
	} {
		var got []string
		for _, w := range changes(strings.Fields(c.source), strings.Fields(c.output)) {
			if w.New {
				w.Text = "[" + w.Text + "]"
			}
			got = append(got, w.Text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q after %q is %q, want %q", c.output, c.source, text, c.want)
		}
	}
}

func TestNumberOf(t *testing.T) {
	for text, want := range map[string]string{
		"81.2": "81.2", "81.2 ± 0.4": "81.2", "1,234": "1234", "−0.5": "-0.5", "–": "", "SMLM": "", ".25": "0.25", "12%": "12",
		"NaN": "",
	} {
		if got := numberOf(table.Cell{Text: text}); got != want {
			t.Errorf("%q is sorted as %q, want %q", text, got, want)
		}
	}
	if got := numberOf(table.Cell{Text: "x", Parts: []string{"3"}}); got != "3" {
		t.Errorf("parts give %q", got)
	}
}
