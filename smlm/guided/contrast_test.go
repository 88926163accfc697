package guided

import (
	"context"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// byStyle is a model that finds each word likelier in style 0 by so much, wherever it stands.
type byStyle map[int64]float64

func (byStyle) Alike(_, _ int64) float64 { return 0 }

func (b byStyle) LogQ(_ context.Context, d corpus.Encoded) ([][]float64, error) {
	out := make([][]float64, len(d.IDs))
	for i, ids := range d.IDs {
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			l := -5.0
			if d.Asked[i] == 0 {
				l += b[ids[k]]
			}
			out[i] = append(out[i], l)
		}
	}
	return out, nil
}

// TestContrast: the model finds the first word likelier in the source's style by 3, the second by
// .4, the third by 1 and the fourth by -2. A mask stays on words of so much contrast and on the one
// of the most; words of more are masked beside, up to half of the sentence; and none of too much
// returns, though the guide would let all.
func TestContrast(t *testing.T) {
	const a, other = corpus.NumSpecial, corpus.NumSpecial + 10
	contrasts := byStyle{a: 3, a + 1: .4, a + 2: 1, a + 3: -2}
	sure := byWord{odds: map[int64]float64{a: 5, other: 5}}
	all, first, fourth := []bool{true, true, true, true}, []bool{true}, []bool{false, false, false, true}
	for _, c := range []struct {
		name                  string
		keep, more, back, rst float64
		masks                 []bool
		want                  string // x where the word is another
	}{
		{"all masks", 0, 0, 0, 0, all, "xxxx"},
		{"of contrast", .5, 0, 0, 0, all, "x.x."},
		{"the one of the most", 4, 0, 0, 0, all, "x..."},
		{"no mask, none more", .5, 0, 0, 0, nil, "...."},
		{"others beside", 0, .9, 0, 0, fourth, "x..x"},
		{"in the place of the first", 1, .9, 0, 0, fourth, "x..x"},
		{"none of so much", 0, 3.5, 0, 0, first, "x..."},
		{"all return", 0, 0, 0, .5, all, "...."},
		{"but those of contrast", 0, 0, .9, .5, all, "x.x."},
		{"but the one of the most", 0, 0, 2, .5, all, "x..."},
	} {
		r := &Refiller{
			How: recipe.Guided{
				Plausible: .1, Contrast: c.keep, MaskContrast: c.more, RestoreContrast: c.back, Restore: c.rst,
			},
			Filler: twoWords{{ID: other, Asked: -1}}, Guide: sure, Likelihood: contrasts,
		}
		masks := make([]bool, 4)
		copy(masks, c.masks)
		d := corpus.Encoded{
			IDs: [][]int64{{a, a + 1, a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{masks},
		}
		got := ""
		for _, w := range transfer(t, r, d)[0].Words {
			got += map[bool]string{true: "x", false: "."}[w.ID == other]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestContrastNeedsEvidence: the model finds the first word likelier in the source's style by 3,
// the third by 1, but the guide's log odds fall only without the third and the fourth, which
// attention masked. So the third word is masked too, and the first is not.
func TestContrastNeedsEvidence(t *testing.T) {
	const a, other = corpus.NumSpecial, corpus.NumSpecial + 10
	for _, c := range []struct {
		evidence float64
		want     []Origin
	}{
		{0, []Origin{Added, Kept, Kept, Refilled}},
		{1, []Origin{Kept, Kept, Added, Refilled}},
		{3, []Origin{Kept, Kept, Kept, Refilled}},
	} {
		r := &Refiller{
			How:        recipe.Guided{Plausible: .1, MaskContrast: .9, Evidence: c.evidence},
			Filler:     twoWords{{ID: other, Asked: -1}},
			Guide:      byWord{odds: map[int64]float64{a + 2: -2, a + 3: -4, other: 5}},
			Likelihood: byStyle{a: 3, a + 1: .4, a + 2: 1},
		}
		d := corpus.Encoded{
			IDs: [][]int64{{a, a + 1, a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1},
			Masks: [][]bool{{false, false, false, true}},
		}
		got := lists.Map(transfer(t, r, d)[0].Words, func(w Word) Origin { return w.Origin })
		if !slices.Equal(got, c.want) {
			t.Errorf("evidence %v: %v, want %v", c.evidence, got, c.want)
		}
	}
}

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
