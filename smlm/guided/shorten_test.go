package guided

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// TestShorten: the guide's log odds of the source's style are 2 of the first word, 3 of the second,
// 1 of the third and none of the fourth, and the n-grams like some words. The word goes without
// which the guide finds the sentence least in its own style and the others go together best; where
// no word has 1.5, none goes, and a sentence of one word keeps it.
func TestShorten(t *testing.T) {
	const a = corpus.NumSpecial
	odds := map[int64]float64{a: -2, a + 1: -3, a + 2: -1}
	for _, c := range []struct {
		name   string
		ids    []int64
		fluent map[int64]float64
		want   int // the place that is empty, -1: none
	}{
		{"the most telling", []int64{a, a + 1, a + 2, a + 3}, nil, 1},
		{"where the others fit", []int64{a, a + 1, a + 2, a + 3}, map[int64]float64{a: -9, a + 1: 9}, 0},
		{"none has enough", []int64{a + 2, a + 3}, nil, -1},
		{"its last word", []int64{a + 1}, nil, -1},
	} {
		r := &Refiller{
			How:   recipe.Guided{Plausible: .1, Shorten: true, LengthFit: 1},
			Guide: byWord{odds: odds}, Fluency: byWord{fluent: c.fluent}, Filler: twoWords{{ID: a + 9, Asked: -1}},
		}
		masks := make([]bool, len(c.ids))
		d := corpus.Encoded{IDs: [][]int64{c.ids}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{masks}}
		o := transfer(t, r, d)[0]
		for k, w := range o.Words {
			if deleted := w.Origin == Deleted; deleted != (k == c.want) || !deleted && w.Origin != Kept {
				t.Errorf("%s: word %d is %+v", c.name, k, w)
			}
		}
	}
}

// TestShortenedStaysShorter: one word at most goes beside those that masks lose, and nothing is
// written in its place, whatever else is on.
func TestShortenedStaysShorter(t *testing.T) {
	gone := 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Shorten, how.LengthFit = true, 5
		r := refiller(how)
		r.Guide = &made{}
		for i, o := range transfer(t, r, d) {
			n := len(d.IDs[i]) - len(o.IDs())
			if n < 0 || n > 1 || len(o.IDs()) == 0 {
				t.Fatalf("sentence %d: %v became %v", i, d.IDs[i], o.IDs())
			}
			gone += n
		}
	})
	if gone == 0 {
		t.Error("no word was deleted: the test is blind")
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
