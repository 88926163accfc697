package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TestChoose writes contrast, price and plausibility out by hand.
func TestChoose(t *testing.T) {
	fills := []Fill{
		{ID: 10, Asked: math.Log(.5), Own: math.Log(.5)},
		{ID: 11, Asked: math.Log(.3), Own: math.Log(.1)},
		{ID: 12, Asked: math.Log(.02), Own: math.Log(.0001)},
	}
	shares := [][]float64{1: make([]float64, 13)}
	shares[1][10], shares[1][11], shares[1][12] = math.Log(.4), math.Log(.01), math.Log(.2)
	for _, c := range []struct {
		how  recipe.Guided
		want int64
	}{
		{recipe.Guided{Plausible: .01}, 10},
		{recipe.Guided{Plausible: .1, Gamma: .4}, 10}, // log .5 = -.693 against log .3 + .4 log 3 = -.765
		{recipe.Guided{Plausible: .1, Gamma: .5}, 11}, // ... + .5 log 3 = -.655
		{recipe.Guided{Plausible: .1, Gamma: 9}, 11},
		{recipe.Guided{Plausible: .01, Gamma: 9}, 12},
		// -.693 + .13 * .916 = -.574 against -1.204 + .13 * 4.605 = -.605; then -.556 against -.513
		{recipe.Guided{Plausible: .01, Price: .13}, 10},
		{recipe.Guided{Plausible: .01, Price: .15}, 11},
	} {
		r := &Refiller{How: c.how, LogShare: shares}
		if got := r.choose(place{ids: make([]int64, 1), asked: 1}, fills); got.ID != c.want {
			t.Errorf("%+v: %d, want %d", c.how, got.ID, c.want)
		}
	}
}

// TestDraws: candidates are drawn from the softmax of scores, and the order of the words changes no
// draw.
func TestDraws(t *testing.T) {
	fills := []Fill{{ID: 10, Asked: math.Log(.6)}, {ID: 11, Asked: math.Log(.3)}, {ID: 12, Asked: math.Log(.01)}}
	r := &Refiller{How: recipe.Guided{Plausible: .1}}
	n, first := 20000, 0
	for i := range n {
		at := place{ids: make([]int64, 1), draws: &draws{seed: 1, stream: uint64(i)}}
		switch id := r.choose(at, fills).ID; id {
		case 10:
			first++
		case 12:
			t.Fatal("an implausible word was drawn")
		}
	}
	p := .6 / (.6 + .3)
	if off := math.Abs(float64(first)/float64(n) - p); off > 5*math.Sqrt(p*(1-p)/float64(n)) {
		t.Errorf("%d of %d draws, want a share of %v", first, n, p)
	}
}

// ordered is a filler that is surest of the last open mask, and writes how many masks it saw.
type ordered struct{}

func (ordered) Fills(_ context.Context, d corpus.Encoded, _ bool) ([][][]Fill, error) {
	open := 0
	for _, on := range d.Masks[0] {
		if on {
			open++
		}
	}
	var fills [][]Fill
	for k := range open {
		fills = append(fills, []Fill{{ID: int64(corpus.NumSpecial + open), Asked: float64(k - 10)}})
	}
	return [][][]Fill{fills}, nil
}

// TestOrder: the surest mask is filled first, and the others see its word.
func TestOrder(t *testing.T) {
	const word = corpus.NumSpecial
	d := corpus.Encoded{
		IDs: [][]int64{{word, word, word, word}}, Styles: []int{0}, Asked: []int{1},
		Masks: [][]bool{{true, false, true, true}},
	}
	for order, want := range map[recipe.Order][]int64{
		recipe.AtOnce: {word + 3, word, word + 3, word + 3}, recipe.Confident: {word + 1, word, word + 2, word + 3},
	} {
		r := &Refiller{How: recipe.Guided{Plausible: .1, Order: order}, Filler: ordered{}}
		out, err := r.Transfer(t.Context(), d)
		if err != nil || !slices.Equal(out[0].IDs(), want) {
			t.Errorf("%s: %v (%v), want %v", order, out, err, want)
		}
	}
}

// TestNoRepeats: a word is not chosen beside itself, neither beside a word of the source nor beside
// one chosen in the same pass, unless there is no other; an implausible word is another.
func TestNoRepeats(t *testing.T) {
	const a, b = corpus.NumSpecial, corpus.NumSpecial + 1
	d := corpus.Encoded{
		IDs: [][]int64{{a, 0, 0, b, 0}}, Styles: []int{0}, Asked: []int{1},
		Masks: [][]bool{{false, true, true, false, true}},
	}
	for _, order := range []recipe.Order{recipe.AtOnce, recipe.Confident} {
		for _, c := range []struct {
			no        bool
			words     int // that the filler knows
			plausible float64
			want      []int64
		}{
			{false, 2, .01, []int64{a, a, a, b, a}},
			{true, 2, .01, []int64{a, b, a, b, a}},
			{true, 2, .9, []int64{a, b, a, b, a}},
			{true, 1, .01, []int64{a, a, a, b, a}},
		} {
			how := recipe.Guided{Plausible: c.plausible, Order: order, NoRepeats: c.no}
			r := &Refiller{How: how, Filler: likes{a, b}[:c.words]}
			out, err := r.Transfer(t.Context(), d)
			if err != nil || !slices.Equal(out[0].IDs(), c.want) {
				t.Errorf("%s, %+v: %v (%v)", order, c, out, err)
			}
		}
	}
}

// TestNoPunctuation: a punctuation mark is chosen only where there is nothing else, and what is
// likely enough is measured by the likeliest word.
func TestNoPunctuation(t *testing.T) {
	const stop, a, b = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2
	d := corpus.Encoded{IDs: [][]int64{{a, 0}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{{false, true}}}
	marks := make([]bool, vocab)
	marks[stop] = true
	for _, c := range []struct {
		no    bool
		likes likes
		want  int64
	}{
		{false, likes{stop, b}, stop},
		{true, likes{stop, b}, b},
		{true, likes{stop, b, a}, b},
		{true, likes{stop}, stop},
	} {
		how := recipe.Guided{Plausible: .9, Order: recipe.Confident, NoPunctuation: c.no}
		r := &Refiller{How: how, Filler: c.likes, Punctuation: marks}
		out, err := r.Transfer(t.Context(), d)
		if err != nil || out[0].IDs()[1] != c.want {
			t.Errorf("%+v: %v (%v)", c, out, err)
		}
	}
}

// likes is a filler that proposes some words everywhere, those on the left the surest.
type likes []int64

func (l likes) Fills(_ context.Context, d corpus.Encoded, _ bool) ([][][]Fill, error) {
	var fills [][]Fill
	for k, on := range d.Masks[0] {
		if !on {
			continue
		}
		var words []Fill
		for i, id := range l {
			words = append(words, Fill{ID: id, Asked: float64(-i) - float64(k)/100})
		}
		fills = append(fills, words)
	}
	return [][][]Fill{fills}, nil
}

// TestFluency: the word that goes best with its neighbours is chosen where that weighs most.
func TestFluency(t *testing.T) {
	const a, b = corpus.NumSpecial, corpus.NumSpecial + 1
	m, left := &made{}, int64(11)
	for m.pair(left, b)+m.pair(b, 21) < m.pair(left, a)+m.pair(a, 21)+1 {
		left++ // until the second word goes better there
	}
	d := corpus.Encoded{
		IDs: [][]int64{{left, 0, 21}}, Styles: []int{1}, Asked: []int{0},
		Masks: [][]bool{{false, true, false}},
	}
	best := func(weight float64) int64 {
		score := func(id int64, log float64) float64 {
			return log + weight*(m.pair(left, id)+m.pair(id, 21))
		}
		if score(a, 0) >= score(b, -1) {
			return a
		}
		return b
	}
	seen := map[int64]bool{}
	for _, weight := range []float64{0, .01, .2, .5, 1, 5} {
		r := &Refiller{How: recipe.Guided{Plausible: .01, Fluency: weight}, Filler: likes{a, b}, Fluency: m}
		out, err := r.Transfer(t.Context(), d)
		if err != nil || out[0].Words[1].ID != best(weight) {
			t.Errorf("weight %v: %v (%v), want %d", weight, out, err, best(weight))
		}
		seen[best(weight)] = true
	}
	if len(seen) < 2 {
		t.Error("the weight never decided")
	}
}

// weighed remembers the words that it was asked about.
type weighed struct {
	made
	words map[int64]bool
}

func (w *weighed) Window(ids []int64, k int) float64 {
	w.words[ids[k]] = true
	return w.made.Window(ids, k)
}

// TestRepeatsAreNotScored: a word that may not stand at a place is not weighed there, and the
// others keep their draws.
func TestRepeatsAreNotScored(t *testing.T) {
	const a, b, c = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2
	fills := []Fill{{ID: a, Asked: -1}, {ID: b, Asked: -1.1}, {ID: c, Asked: -1.2}}
	at := func(left int64) place {
		return place{ids: []int64{left, corpus.MaskID}, k: 1, draws: &draws{seed: 1, stream: 2}}
	}
	w := &weighed{words: map[int64]bool{}}
	r := &Refiller{
		How:     recipe.Guided{Plausible: .01, Fluency: 1, NoRepeats: true},
		Fluency: w,
	}
	r.choose(at(b), fills)
	if !w.words[a] || w.words[b] || !w.words[c] {
		t.Errorf("beside %d the words %v were weighed", b, w.words)
	}
	r.How.Fluency = 0
	free := r.choose(at(corpus.MaskID), fills).ID
	for _, f := range fills {
		if chosen := r.choose(at(f.ID), fills).ID; f.ID != free && chosen != free {
			t.Errorf("beside %d, which is not drawn, %d was drawn for %d", f.ID, chosen, free)
		}
	}
}

// TestGuideIsAskedOfTheChosen: without a weight of the guide it hears of one candidate a sentence.
func TestGuideIsAskedOfTheChosen(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{10, 11, 12}, {13, 14}}, Styles: []int{0, 1}, Asked: []int{1, 0},
		Masks: [][]bool{{true, false, true}, {false, true}},
	}
	for weight, want := range map[float64]int{0: 2, 1: 8} {
		how := off
		how.Candidates, how.GuideWeight = 4, weight
		guide := &made{}
		r := refiller(how)
		r.Guide = guide
		out := transfer(t, r, d)
		if guide.judged != want {
			t.Errorf("weight %v: the guide was asked about %d sentences, want %d", weight, guide.judged, want)
		}
		for i, o := range out {
			logs, _ := (&made{}).LogProbs(t.Context(), [][]int64{o.IDs()})
			if sure := math.Exp(logs[0][d.Asked[i]]); o.Sure != sure {
				t.Errorf("weight %v, sentence %d: %v sure, want %v", weight, i, o.Sure, sure)
			}
		}
	}
}

// two finds two outputs of every sentence: masks filled with a and, liked less, with b.
type two struct{ a, b int64 }

func (s two) Search(_ context.Context, d corpus.Encoded) ([][]Found, error) {
	var out [][]Found
	for i, ids := range d.IDs {
		var found []Found
		for j, w := range []int64{s.a, s.b} {
			f := Found{IDs: slices.Clone(ids), LogQ: -float64(j) - 1}
			for k, on := range d.Masks[i] {
				f.Asked = append(f.Asked, 0)
				if on {
					f.IDs[k], f.Asked[k] = w, -.5
				}
			}
			found = append(found, f)
		}
		out = append(out, found)
	}
	return out, nil
}

// TestSearched: of what a search found the guide and the fluency take the best beside log q of
// the whole; without them it is the likeliest.
func TestSearched(t *testing.T) {
	m := &made{}
	const a = corpus.NumSpecial
	d := corpus.Encoded{
		IDs: [][]int64{{a + 1, a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1},
		Masks: [][]bool{{false, true, false}},
	}
	with := func(w int64) []int64 { return []int64{a + 1, w, a + 3} }
	second := 0
	for first := range int64(20) {
		for other := range int64(20) {
			s := two{a + first, a + other}
			for _, how := range []recipe.Guided{
				{Candidates: 2},
				{Candidates: 2, GuideWeight: 2},
				{Candidates: 2, Fluency: .7},
			} {
				score := func(logq float64, ids []int64) float64 {
					logs, _ := m.LogProbs(t.Context(), [][]int64{ids})
					return logq + how.GuideWeight*logs[0][1] + how.Fluency*m.LogProb(ids)
				}
				want := with(s.a)
				if score(-2, with(s.b)) > score(-1, want) {
					want = with(s.b)
					second++
				}
				r := refiller(how)
				r.Filler, r.Searcher = nil, s
				out := transfer(t, r, d)[0]
				if !slices.Equal(out.IDs(), want) || out.Words[1].Asked != -.5 || out.Words[1].Origin != Refilled {
					t.Errorf("%+v: %+v, want %v", how, out, want)
				}
			}
		}
	}
	if second == 0 {
		t.Error("the less likely one was never taken")
	}
}
