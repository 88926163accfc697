package wording

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"run", "plan", "tables", "transfer"}
	for word, want := range map[string]string{
		"rnu": "run", "tabel": "tables", "transfr": "transfer", "plan": "plan", "": "",
		"completely": "", "Plän": "plan", "ran": "run", "fun": "run", "rain": "", "tabble": "tables",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestNothingNear checks that a short word is not taken for a misspelling of a word that merely
// shares a letter or two with it.
func TestNothingNear(t *testing.T) {
	known := []string{"pdf", "svg", "html", "bash", "zsh", "d"}
	for _, word := range []string{"gif", "xml", "tcsh", "", "p", "x"} {
		if got := Nearest(word, known); got != "" {
			t.Errorf("Nearest(%q) = %q", word, got)
		}
	}
}

// TestDistance checks textbook examples and words with swapped neighbouring letters.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
		{"rnu", "run", 1},
		{"ab", "ba", 1},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abcd", "badc", 2},
		{"größe", "grösse", 2},
		{"same", "same", 0},
	} {
		if got := distance([]rune(c.from), []rune(c.to)); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.from, c.to, got, c.want)
		}
	}
}
