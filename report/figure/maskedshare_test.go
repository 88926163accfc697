package figure

import (
	"testing"

	"pgregory.net/rapid"
)

// Every word of every sentence is counted once, and a long sentence's tenths are tenths.
func TestCountParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		masks := rapid.SliceOfN(rapid.SliceOfN(rapid.Bool(), 0, 30), 0, 10).Draw(t, "masks")
		parts := rapid.IntRange(1, 12).Draw(t, "parts")
		words, masked := 0, 0
		for _, s := range masks {
			words += len(s)
			for _, m := range s {
				if m {
					masked++
				}
			}
		}
		for _, p := range CountParts(masks, parts) {
			words -= p.Words
			masked -= p.Masked
		}
		if words != 0 || masked != 0 {
			t.Fatalf("%d words and %d masked ones were lost", words, masked)
		}
	})
	got := CountParts([][]bool{{true, false, false, false}, {true}}, 2)
	if want := []Part{{2, 3}, {0, 2}}; got[0] != want[0] || got[1] != want[1] {
		t.Errorf("counted %v, want %v", got, want)
	}
}
