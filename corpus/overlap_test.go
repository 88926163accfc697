package corpus

import (
	"testing"

	"pgregory.net/rapid"
)

// TestInTraining: test sentences that stand in the training text are counted as `data report`
// counts them, by whole sentences.
func TestInTraining(t *testing.T) {
	sentence := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3)
	text := rapid.SliceOfN(sentence, 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		d := &Dataset{}
		for style := range 2 {
			d.Text[Train][style], d.Text[Test][style] = text.Draw(t, "train"), text.Draw(t, "test")
		}
		parts, got := d.Report(0).Parts, d.InTraining()
		if want := [2]int{parts[Test][0].InTrain, parts[Test][1].InTrain}; got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
