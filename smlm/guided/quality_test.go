package guided

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// knows is like the type made, but has only some trigrams, and all its words are rare.
type knows struct {
	made
	trigrams [][3]int64
}

func (k *knows) Has(t [3]int64) bool { return slices.Contains(k.trigrams, t) }

func (*knows) UnigramLogProb(int64) float64 { return -10 }

// TestQuality checks the measures of content and fluency on outputs that each differ from the
// source in one way.
func TestQuality(t *testing.T) {
	const a, b, c, x, style = 20, 21, 22, 23, 24
	logP := [][]float64{make([]float64, vocab+100), make([]float64, vocab+100)}
	logP[1][style] = 2 // the word carries style, so it has no content
	w := &Writer{
		Fluency: &knows{trigrams: [][3]int64{{corpus.BosID, a, b}, {a, b, x}, {b, x, corpus.EosID}}},
		Phrases: &Phrases{LogP: logP},
	}
	source := []int64{a, b, c}
	for name, want := range map[string]struct {
		output           []int64
		content, fluency float64
	}{
		"the same":                 {[]int64{a, b, c}, 1, 1},
		"an odd end":               {[]int64{a, b, style}, math.Pow(4./5, 2), math.Exp(-.6)},
		"an end of training text":  {[]int64{a, b, x}, math.Pow(4./6, 2), 1},
		"a word twice":             {[]int64{a, b, c, c}, math.Pow(6./7, 2), math.Exp(-.6)},
		"nothing that was written": {[]int64{style}, 0, math.Exp(-.3)},
	} {
		content := w.ContentKept(source, want.output, corpus.Direction{From: 0, To: 1})
		fluency := FluencyKept(w.Odd(source, want.output))
		if math.Abs(content-want.content) > 1e-12 || math.Abs(fluency-want.fluency) > 1e-12 {
			t.Errorf("%s: content %v, fluency %v, want %v and %v", name, content, fluency, want.content, want.fluency)
		}
	}
	if got := w.ContentKept([]int64{style}, []int64{style}, corpus.Direction{From: 0, To: 1}); got != 1 {
		t.Errorf("text without content keeps %v of it", got)
	}
}
