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

// TestVisible checks that characters that a terminal could interpret become visible, and that
// printable characters stay.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "süß 甘い\n\tx": "süß 甘い\n\tx", "\x1b[2J\a": `\x1b[2J\x07`, "a\rb\x7f": `a\x0db\x7f`,
		"\u009b31m": `\u009b31m`, "\x9b31m": `\x9b31m`, "a\u202eb": `a\u202eb`, "a\ufffdb": "a\ufffdb",
	} {
		if got := Visible(text); got != want || Visible(got) != got {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := VisibleLine("a\nb\tc\u2028\x1b"); got != `a\nb\tc\u2028\x1b` {
		t.Errorf("a line: %q", got)
	}
}
