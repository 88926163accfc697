package guided

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// likeHalf finds any two words half alike, and knows how rare words are.
type likeHalf struct{ made }

func (likeHalf) Likeness(a, b int64) float64 {
	if a == 30 {
		return -.5
	}
	return .5
}

func (likeHalf) Alone(id int64) float64 {
	return map[int64]float64{20: -2, 21: -7, 22: -12, 23: -12, 24: -12}[id]
}

// TestCost: what each kind of change costs.
func TestCost(t *testing.T) {
	logP := [][]float64{make([]float64, vocab+100), make([]float64, vocab+100)}
	logP[1][24] = 1 // it carries some style, so less content
	w := &Writer{Filler: &likeHalf{}, Fluency: &likeHalf{}, Phrases: &Phrases{LogP: logP}}
	word := func(id int64) Word { return Word{ID: id, Origin: Filled} }
	for name, c := range map[string]struct {
		source int64
		words  []Word
		want   float64
	}{
		"nothing":                {20, []Word{word(20)}, 0},
		"another word":           {20, []Word{word(21)}, .5},
		"a word of content":      {23, []Word{word(21)}, 1},
		"a word of some content": {24, []Word{word(21)}, .75},
		"an unlike word":         {20, []Word{word(30)}, 1},
		"a word more":            {20, []Word{word(21), word(20)}, 1},
		"two other words":        {20, []Word{word(21), word(22)}, 1.5},
		"a frequent word less":   {20, deleted(0), 0},
		"a word less":            {21, deleted(0), .5},
		"a rare word less":       {22, deleted(0), 1},
		"the same word and more": {22, []Word{word(22), word(20), word(21)}, 2},
	} {
		if got := w.costOf(c.source, c.words, corpus.Direction{From: 0, To: 1}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s costs %v, want %v", name, got, c.want)
		}
	}
}

// TestUnmask: masked words without evidence lose their masks, but the word with the most keeps its
// mask.
func TestUnmask(t *testing.T) {
	m := &made{}
	d := sentence(corpus.NumSpecial, corpus.NumSpecial+1, corpus.NumSpecial+2, corpus.NumSpecial+3)
	for evidence, least := range map[float64]int{0: 4, .5: 1, 100: 1} {
		how := usual
		how.Evidence = evidence
		w := m.writer(how)
		s := newDraft(d, 0)
		w.weigh(s)
		if err := w.judge(t.Context(), []*draft{s}); err != nil {
			t.Fatal(err)
		}
		if err := w.unmask(t.Context(), []*draft{s}); err != nil {
			t.Fatal(err)
		}
		n := 0
		for k, on := range s.masks {
			// The guide adds up weights for style 1: a word of style 0 has a negative one.
			speaks := -3 * number("weight", d.IDs[0][k])
			if on {
				n++
			}
			if evidence == .5 && on != (speaks >= .5) && n != 1 {
				t.Errorf("word %d, whose evidence is %v, is masked: %t", k, speaks, on)
			}
		}
		if n < least || evidence == 100 && n != 1 {
			t.Errorf("with evidence %v, %d words stay masked", evidence, n)
		}
	}
}

// TestReplaced: words that a phrase and its counterpart share stay kept; others are deleted or join
// the word before.
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
