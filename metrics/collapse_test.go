package metrics

import "testing"

func TestCollapse(t *testing.T) {
	for _, c := range []struct {
		name            string
		source, outputs [][]string
		want            Collapse
	}{
		// New: best, best (both occurrences), warm: 3 occurrences, 2 different; 1 of 2 outputs repeats a word.
		{"counted", split("the soup was cold", "we left"), split("the best best soup", "we left warm"), Collapse{"best", 2.0 / 3, 3, 2, 0.5}},
		// A word of another sentence's source is new; a word of its own source is not, however often it is written.
		{"own source only", split("cold soup", "nice room"), split("cold cold", "cold room"), Collapse{"cold", 1, 1, 1, 0.5}},
		{"ties are broken in byte order", split("x", "x", "x"), split("pear", "fig Zoo", "apple"), Collapse{"Zoo", 0.25, 4, 4, 0}},
		{"case is kept", split("Good day"), split("good day"), Collapse{"good", 1, 1, 1, 0}},
		{"no new word", split("a b c"), split("c c b"), Collapse{"", 0, 0, 0, 1}},
		{"empty outputs", split("a", "b"), split("", ""), Collapse{}},
		{"nothing", nil, nil, Collapse{}},
		// The same word again, but not directly.
		{"no direct repetition", split("a"), split("a b a b"), Collapse{"b", 1, 2, 1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CollapseOf(c.source, c.outputs); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
