package guided

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// knowsRarity is like the type made, but some of its words are frequent and some are rare.
type knowsRarity struct{ made }

func (knowsRarity) UnigramLogProb(id int64) float64 {
	return map[int64]float64{20: -2, 21: -7, 22: -12, 23: -12}[id] // others are frequent
}

// TestCost checks the cost of each kind of change.
func TestCost(t *testing.T) {
	logP := [][]float64{make([]float64, vocab+100), make([]float64, vocab+100)}
	logP[1][23] = 1 // the word carries some style, so its content counts less
	w := &Writer{Fluency: &knowsRarity{}, Phrases: &Phrases{LogP: logP}}
	word := func(id int64) Word { return Word{ID: id, Origin: Filled} }
	gone := []Word{{ID: corpus.EosID, Origin: Deleted}}
	for name, c := range map[string]struct {
		source int64
		words  []Word
		want   float64
	}{
		"nothing":                       {20, []Word{word(20)}, 0},
		"another word for a frequent":   {20, []Word{word(21)}, 1},
		"another word for one of some":  {21, []Word{word(20)}, 1.5},
		"another word for a rare one":   {22, []Word{word(20)}, 2},
		"another word for one of style": {23, []Word{word(20)}, 1.5},
		"a word more":                   {20, []Word{word(21), word(20)}, 1},
		"two other words":               {20, []Word{word(21), word(22)}, 2},
		"a frequent word less":          {20, gone, 1},
		"a rare word less":              {22, gone, 2},
		"the same word and more":        {22, []Word{word(22), word(20), word(21)}, 2},
	} {
		if got := w.costOf(c.source, c.words, corpus.Direction{From: 0, To: 1}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s costs %v, want %v", name, got, c.want)
		}
	}
}

// TestStyleCost checks that the setting lowers the cost of losing a word of the source style, in
// proportion to the word's log-odds up to 2, and of no other word.
func TestStyleCost(t *testing.T) {
	logP := [][]float64{make([]float64, vocab+100), make([]float64, vocab+100)}
	logP[0][24], logP[0][25], logP[1][26] = 1, 3, 3
	w := &Writer{Fluency: &knowsRarity{}, Phrases: &Phrases{LogP: logP}}
	other := []Word{{ID: 20, Origin: Filled}}
	for _, c := range []struct {
		styleCost recipe.OrAuto
		source    int64
		want      float64
	}{
		{1, 24, 1}, {1, 25, 1}, {.5, 24, .75}, {.5, 25, .5}, {0, 24, .5}, {0, 25, 0}, {0, 26, 1},
	} {
		w.How.StyleCost = c.styleCost
		if got := w.costOf(c.source, other, corpus.Direction{From: 0, To: 1}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("with style_cost %v, word %d costs %v, want %v", c.styleCost, c.source, got, c.want)
		}
	}
}

// TestWorthIsFinite checks that log probabilities that are finite, but too large for the worth of
// an output, are an error.
func TestWorthIsFinite(t *testing.T) {
	w := (&made{}).writer(usual)
	w.Guide = hugeGuide{}
	_, err := w.Write(t.Context(), sentence(corpus.NumSpecial, corpus.NumSpecial+1), 1)
	if err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("the error is %v", err)
	}
}

type hugeGuide struct{}

func (hugeGuide) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	return slices.Repeat([][]float64{{-1e300, -1e308}}, len(all)), nil
}

// TestReplaced checks the function replaced, which puts a counterpart in the place of a phrase.
// Words that both share must count as kept, and the other words of the phrase as replaced or
// deleted. Further words of the counterpart must belong to the place of the word before them.
func TestReplaced(t *testing.T) {
	const a, b, c, x, y = 10, 11, 12, 13, 14
	for _, at := range []struct {
		phrase, by []int64
		want       string
	}{
		{[]int64{a}, []int64{b}, "b"},
		{[]int64{a}, []int64{b, c}, "bc"},
		{[]int64{a, b}, []int64{b}, "-|B"},
		{[]int64{a, b}, []int64{x, y, b}, "xy|B"},
		{[]int64{a, b, c}, []int64{a, x, c}, "A|x|C"},
		{[]int64{a}, []int64{x, a}, "xA"},
		{[]int64{a}, []int64{a, a}, "Aa"},
		{[]int64{a, b}, []int64{x}, "x|-"},
	} {
		got := ""
		for i, words := range replaced(3, at.phrase, at.by) {
			if i > 0 {
				got += "|"
			}
			for _, w := range words {
				if w.Place != 3+i {
					t.Errorf("%v is in place %d", w, w.Place)
				}
				letter := map[int64]string{a: "a", b: "b", c: "c", x: "x", y: "y"}[w.ID]
				switch w.Origin {
				case Deleted:
					letter = "-"
				case Kept:
					letter = string(letter[0] - 'a' + 'A')
				}
				got += letter
			}
		}
		if got != at.want {
			t.Errorf("%v by %v is %s, want %s", at.phrase, at.by, got, at.want)
		}
	}
}
