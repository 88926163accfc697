package classifier

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestCountOdds compares the log odds of three styles with values computed by hand.
func TestCountOdds(t *testing.T) {
	first := corpus.Specials(3) // id of the first word
	a, b, c := int64(first), int64(first+1), int64(first+2)
	o := CountOdds(corpus.Encoded{
		IDs:    [][]int64{{a, a, a, a, a, c}, {b, b, b, b, c}, {c, c, c, corpus.UnkID}},
		Styles: []int{0, 1, 2},
	}, 3, first+3)
	for _, want := range []struct {
		style int
		word  int64
		odds  float64
	}{
		{0, a, math.Log(5.5/7) - math.Log(.5/10)},
		{1, a, math.Log(.5/6) - math.Log(5.5/11)},
		{1, b, math.Log(4.5/6) - math.Log(.5/11)},
		{2, c, math.Log(3.5/5) - math.Log(2.5/12)},
	} {
		if got := o.logOdds[want.style][want.word]; math.Abs(got-want.odds) > 1e-12 {
			t.Errorf("style %d, word %d: %v, want %v", want.style, want.word, got, want.odds)
		}
	}
}

// TestSilent checks that a style is silent if it has no words of its own and only lacks the words
// of the others. Misclassified sentences do not count for the shares. A single word does not decide
// a sentence that has two words of its style. No style is silent if all have words of their own, or
// if there are too few sentences.
func TestSilent(t *testing.T) {
	const plain, rude, rough, kind, nice = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2,
		corpus.NumSpecial + 3, corpus.NumSpecial + 4
	var d corpus.Encoded
	add := func(style, times int, ids ...int64) {
		for range times {
			d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, style)
		}
	}
	check := func(what string, styles int, wantSilent []int, want ...float64) {
		t.Helper()
		silent, decided := CountOdds(d, styles, nice+1).Silent(d)
		if !slices.Equal(decided, want) || !slices.Equal(silent, wantSilent) {
			t.Errorf("%s: %v, silent %v, want %v and %v", what, decided, silent, want, wantSilent)
		}
	}
	check("no sentences", 2, nil, 0, 0)
	add(0, 60, plain, plain, rude)
	add(0, 20, plain, rude, rough)
	add(0, 20, plain, plain, plain) // misclassified, because these words are typical of the other styles
	add(1, 99, plain, plain, plain)
	check("a style of few sentences", 2, nil, .75, 0)
	add(1, 1, plain, plain, plain)
	check("two styles, one without words of its own", 2, []int{1}, .75, 0)
	add(2, 50, plain, plain, kind)
	add(2, 50, plain, kind, nice)
	check("three styles", 3, []int{1}, .75, 0, .5)
	d = corpus.Encoded{}
	add(0, 100, plain, rude)
	add(1, 100, plain, kind)
	check("both have words", 2, nil, 1, 1)
}
