package guided

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"pgregory.net/rapid"
)

func TestAlign(t *testing.T) {
	for _, c := range []struct{ source, output, want string }{
		{"the soup was cold .", "the soup was great .", "the|soup|was|great|."},
		{"the soup was cold .", "the soup was cold .", "the|soup|was|cold|."},
		{"the soup was not very good .", "the soup was good .", "the|soup|was|||good|."},
		{"it was cold", "it was so very good", "it|was|so very good"},
		{"the soup was cold", "the cold soup was cold", "the cold|soup|was|cold"},
		{"soup was cold", "the soup was cold", "the soup|was|cold"},
		{"bad and slow", "good and fast", "good|and|fast"},
		{"a b", "", "|"},
	} {
		placed := align(strings.Fields(c.source), strings.Fields(c.output))
		got := strings.Join(lists.Map(placed, func(words []string) string { return strings.Join(words, " ") }), "|")
		if got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.source, c.output, got, c.want)
		}
	}
}

// TestAlignMakesOutput checks for any source and output that the words in the places of the source
// are the output.
func TestAlignMakesOutput(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		source, output := words.Draw(t, "source"), words.Draw(t, "output")
		placed := align(source, output)
		if len(placed) != len(source) || !slices.Equal(slices.Concat(placed...), output) {
			t.Fatalf("%q to %q: %q", source, output, placed)
		}
	})
}
