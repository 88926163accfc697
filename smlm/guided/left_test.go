package guided

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TestWordsLeft: beside the word that is written, the second word has a contrast that it did not
// have in the source; it is masked too and written anew.
func TestWordsLeft(t *testing.T) {
	const a, other = corpus.NumSpecial, corpus.NumSpecial + 10
	d := corpus.Encoded{
		IDs: [][]int64{{a, a + 1, a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1},
		Masks: [][]bool{{true, false, false, false}},
	}
	r := &Refiller{
		How: recipe.Guided{Plausible: .1, MaskContrast: 2}, Filler: twoWords{{ID: other, Asked: -1}},
		Likelihood: beside{word: a + 1, other: other},
	}
	for k, w := range transfer(t, r, d)[0].Words {
		if (w.ID == other) != (k < 2) {
			t.Errorf("word %d is %+v", k, w)
		}
	}
}

// beside is a model that finds a word 3 likelier in style 0 where another word is in the sentence.
type beside struct{ word, other int64 }

func (b beside) LogQ(_ context.Context, d corpus.Encoded) ([][]float64, error) {
	out := make([][]float64, len(d.IDs))
	for i, ids := range d.IDs {
		there := false
		for k, id := range ids {
			there = there || id == b.other && !d.Masks[i][k]
		}
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			l := -5.0
			if ids[k] == b.word && there && d.Asked[i] == 0 {
				l += 3
			}
			out[i] = append(out[i], l)
		}
	}
	return out, nil
}

func (beside) Alike(_, _ int64) float64 { return 0 }
