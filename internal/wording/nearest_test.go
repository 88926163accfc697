package wording

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"run", "plan", "tables", "transfer"}
	for word, want := range map[string]string{
		"rnu": "run", "tabel": "tables", "transfr": "transfer", "plan": "plan", "": "",
		"completely": "", "Plän": "plan",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// The textbook pair: kitten, sitting, 3 edits.
func TestDistance(t *testing.T) {
	if got := distance("kitten", "sitting"); got != 3 {
		t.Errorf("distance = %d, want 3", got)
	}
}
