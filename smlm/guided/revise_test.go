package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// TestRevisedOneByOne: from the left, each word that was chosen is the likeliest among all others
// unless the guide minds, which is asked for no less than it had.
func TestRevisedOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, how := drawn(t), off
		how.MoreMasks, how.Doubt = 1, .9
		first := transfer(t, refiller(how), d)
		how.Revise = true
		for i, o := range transfer(t, refiller(how), d) {
			words, sure := first[i].IDs(), first[i].Sure
			for k, w := range first[i].Words {
				if w.Origin == Kept {
					continue
				}
				mask := make([]bool, len(words))
				mask[k] = true
				one := d.Slice(i, i+1)
				one.IDs, one.Masks = [][]int64{words}, [][]bool{mask}
				fills, _ := (&made{}).Fills(t.Context(), one, false)
				other := slices.Clone(words)
				other[k] = fills[0][0][0].ID
				logs, _ := (&made{}).LogProbs(t.Context(), [][]int64{other})
				if p := math.Exp(logs[0][d.Asked[i]]); other[k] != words[k] && !surer(sure, p) {
					words, sure = other, p
				}
			}
			if got := o.IDs(); !slices.Equal(got, words) || o.Sure != sure {
				t.Fatalf("sentence %d is %v, the guide %v sure; want %v and %v", i, got, o.Sure, words, sure)
			}
		}
	})
}

// TestRevisedByItsOwnGamma: of two words the contrast likes one and SMLM the other; which stands in
// the end is for the gamma of the last choice to say. Restored words are not chosen again.
func TestRevisedByItsOwnGamma(t *testing.T) {
	const a, b, back = 10, 11, 12
	for _, c := range []struct{ gamma, again float64 }{{2, 0}, {0, 2}, {2, 2}, {0, 0}} {
		r := &Refiller{
			How:    recipe.Guided{Plausible: .01, Gamma: c.gamma, ReviseGamma: c.again, Restore: .5, Revise: true},
			Filler: twoWords{{ID: a, Asked: -1, Own: -1}, {ID: b, Asked: -2, Own: -4}},
			Guide:  byWord{odds: map[int64]float64{9: -50, a: 20, b: 20, back: 20}},
		}
		d := corpus.Encoded{IDs: [][]int64{{9, back}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{{true, true}}}
		o := transfer(t, r, d)[0]
		want := int64(a)
		if c.again > 0 {
			want = b
		}
		if chosen, returned := o.Words[0], o.Words[1]; chosen.ID != want || chosen.Origin != Refilled ||
			returned.ID != back || returned.Origin != Restored {
			t.Errorf("gamma %v and then %v: %+v, want word %d and then %d restored", c.gamma, c.again, o.Words, want, back)
		}
	}
}

// twoWords is a filler that has the same words for every mask.
type twoWords []Fill

func (w twoWords) Fills(_ context.Context, d corpus.Encoded, _ bool) ([][][]Fill, error) {
	out := make([][][]Fill, len(d.IDs))
	for i, masks := range d.Masks {
		for _, on := range masks {
			if on {
				out[i] = append(out[i], w)
			}
		}
	}
	return out, nil
}
