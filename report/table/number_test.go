package table

import "testing"

func TestMinus(t *testing.T) {
	for _, c := range []struct {
		ours  string
		paper float64
		want  string
	}{
		{"60.8", 60.8, "0.0"},
		{"60.8", 61, "-0.2"},
		{"8.6", 8.59, "0.0"},
		{"0.843", .84, "+0.003"},
		{"107,384", 177000, "-69,616"},
		{"500", 500, "0"},
		{"501", 500, "+1"},
		{"33.3", 55, "-21.7"},
		{"60.8 ± 0.4", 60, "+0.8"},
		{"60.8 [58.9, 62.7]", 60, "+0.8"},
		{Absent, 60, ""},
		{"", 60, ""},
	} {
		if got := Minus(c.ours, c.paper); got != c.want {
			t.Errorf("Minus(%q, %v) = %q, want %q", c.ours, c.paper, got, c.want)
		}
	}
}

func TestMinuses(t *testing.T) {
	for text, want := range map[string]string{
		"-3.8": "−3.8", "[-4.9, -2.7]": "[−4.9, −2.7]", "28.7 (-2.3)": "28.7 (−2.3)", "-.5": "−.5",
		"3-4": "3-4", "a-1": "a-1", "—": "—", Absent: Absent, "+0.1": "+0.1",
	} {
		if got := Minuses(text); got != want {
			t.Errorf("Minuses(%q) = %q, want %q", text, got, want)
		}
	}
}
