package wording

import "testing"

func TestControl(t *testing.T) {
	for name, want := range map[string]rune{
		"": -1, "good": -1, "süß 甘い": -1, "a\tb": '\t', "c\x1b[31m\n": 0x1b, "é\u0085": 0x85, "\x7f": 0x7f,
	} {
		if got := Control(name); got != want {
			t.Errorf("%q: %U, want %U", name, got, want)
		}
	}
}
