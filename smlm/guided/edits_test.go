package guided

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEditsOf(t *testing.T) {
	for _, c := range []struct{ source, output, want string }{
		{"the soup was cold .", "the soup was great .", "3 1 great"},
		{"the soup was cold .", "the soup was cold .", ""},
		{"the soup was not very good .", "the soup was good .", "3 0 4 0"},
		{"it was cold", "it was so very good", "2 3 so very good"},
		{"the soup was cold", "the cold soup was cold", "0 2 the cold"},
		{"soup was cold", "the soup was cold", "0 2 the soup"},
		{"bad and slow", "good and fast", "0 1 good 2 1 fast"},
		{"a b", "", "0 0 1 0"},
	} {
		r := Rated{Edits: EditsOf(strings.Fields(c.source), strings.Fields(c.output))}
		if got := r.Changes(); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.source, c.output, got, c.want)
		}
	}
}

// TestEditsMakeOutput checks for any source and output that the edits turn the source into the
// output.
func TestEditsMakeOutput(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		source, output := words.Draw(t, "source"), words.Draw(t, "output")
		r := Rated{Source: Checksum(source), Edits: EditsOf(source, output)}
		got, places, right := r.Output(source)
		if !right || !reflect.DeepEqual(got, output) || !slices.IsSorted(places) {
			t.Fatalf("%q with %q is %q at %v (%v), want %q", source, r.Changes(), got, places, right, output)
		}
	})
}
