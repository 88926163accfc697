package guided

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"pgregory.net/rapid"
)

// TestOutputs checks the outputs of a sentence. The worth of each output must be the sum of its
// terms. The best output must not have a lower worth than the source. It must also have a word,
// keep protected words and give each word its origin.
func TestOutputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &made{}
		w, d := m.writer(hows(t)), drawn(t)
		for i, found := range write(t, w, d, 3) {
			source, ids := d.IDs[i], found[0].IDs()
			before := judged(t, w, d.Pick([]int{i}))
			for n, o := range found {
				logs, _ := m.LogProbs(context.Background(), [][]int64{o.IDs()})
				odd := w.odd(trigramSet(source), o.IDs())
				odds := logs[0][d.Targets[i]] - logs[0][d.Styles[i]]
				worth := -3*float64(w.How.Style)*math.Log1p(math.Exp(-odds/3)) -
					w.How.Fluency*float64(odd) - o.Cost
				if math.Abs(worth-o.Worth) > 1e-9 || odd != o.Odd ||
					math.Abs(math.Exp(logs[0][d.Targets[i]])-o.Style) > 1e-9 {
					t.Fatalf("output %v is said to be worth %v, with %d odd trigrams, of style %v; it is %v, %d, %v",
						o.IDs(), o.Worth, o.Odd, o.Style, worth, odd, math.Exp(logs[0][d.Targets[i]]))
				}
				if n > 0 && (slices.Equal(o.IDs(), found[n-1].IDs()) || o.Worth > found[n-1].Worth+rounding) {
					t.Fatalf("output %d, %v, is the same as the one before, or worth more", n, o.IDs())
				}
			}
			if found[0].Worth < before.worth-1e-9 || len(ids) == 0 {
				t.Fatalf("%v became %v, which is worth %v, not %v", source, ids, found[0].Worth, before.worth)
			}
			checkOrigins(t, w, d, i, found[0])
		}
	})
}

// checkOrigins checks the origins of the words of an output.
func checkOrigins(t *rapid.T, w *Writer, d corpus.Encoded, i int, o Output) {
	place := -1
	for _, word := range o.Words {
		source, logP := d.IDs[i][word.Place], w.Phrases.LogP
		isSource := word.ID == source
		open := d.Masks[i][word.Place] || logP[d.Styles[i]][source]-logP[d.Targets[i]][source] >= 1
		phrases := len(w.Phrases.Counterparts) > 0
		switch {
		case word.Place != place && word.Place != place+1:
			t.Fatalf("behind place %d comes place %d", place, word.Place)
		case word.Origin == Kept && !isSource, word.Origin != Kept && d.Kept[i][word.Place]:
			t.Fatalf("word %+v is wrong in %v, of which %v are kept", word, d.IDs[i], d.Kept[i])
		case word.Origin == Filled && (!open || word.LogQ == 0):
			t.Fatalf("word %+v is filled in for %v, but the masks are %v", word, d.IDs[i], d.Masks[i])
		case word.Origin == Rephrased && !phrases:
			t.Fatalf("word %+v is of a phrase, but there are none", word)
		case word.Origin == Deleted && !phrases && !open:
			t.Fatalf("word %+v of %v is deleted, but the masks are %v", word, d.IDs[i], d.Masks[i])
		}
		place = word.Place
	}
	if place != len(d.IDs[i])-1 {
		t.Fatalf("%v have %d places", o.Words, len(d.IDs[i]))
	}
}

// TestBestEdit checks that the method edit chooses the trial with the highest worth, and that the
// search for a sentence ends if no edit improves it.
func TestBestEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, d := (&made{}).writer(hows(t)), drawn(t)
		for i := range d.IDs {
			s := judged(t, w, d.Pick([]int{i}))
			fills, err := w.fills(context.Background(), []*draft{s})
			if err != nil {
				t.Fatal(err)
			}
			all := w.trials(s, fills[0])
			if err := w.judge(context.Background(), all); err != nil {
				t.Fatal(err)
			}
			most := s.worth
			for _, d := range all {
				most = max(most, d.worth)
			}
			one := &sentenceSearch{current: s}
			better, err := w.edit(context.Background(), []*sentenceSearch{one})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(most-one.current.worth) > 2*rounding || (len(better) > 0) != (one.current != s) {
				t.Fatalf("%v became %v, worth %v; the best is worth %v", d.IDs[i], one.current.ids, one.current.worth, most)
			}
		}
	})
}

// TestTrials checks which edits of a draft are tried: SMLM's words for the places that it may
// replace, the deletion of the words in these places, and the replacements of the phrase table.
func TestTrials(t *testing.T) {
	const a, b, c = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2
	m := &made{}
	w := m.writer(usual)
	w.Phrases = &Phrases{LogP: [][]float64{make([]float64, vocab), make([]float64, vocab)}}
	w.Phrases.Counterparts = map[corpus.Direction]map[Phrase][]Counterpart{
		{From: 0, To: 1}: {PhraseOf([]int64{a, b}): {{IDs: []int64{c, c, b}, Gain: 3}}},
	}
	d := sentence(a, b, c)
	d.Masks[0] = []bool{false, false, true}
	s := judged(t, w, d)
	got := lists.Map(w.trials(s, [][]Fill{{{ID: a, LogQ: -1}}}), (*draft).undeleted)
	for _, want := range [][]int64{{c, c, b, c}, {a, b, a}, {a, b}} {
		if !slices.ContainsFunc(got, func(ids []int64) bool { return slices.Equal(ids, want) }) {
			t.Errorf("no edit makes %v of %v: they make %v", want, d.IDs[0], got)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d edits: %v", len(got), got)
	}
	filled := s.edited(2, []Word{{ID: a, Place: 2, Origin: Filled}})
	got = lists.Map(w.trials(filled, nil), (*draft).undeleted)
	if len(got) != 1 {
		t.Errorf("edits of %v make %v: the phrase alone should change", filled.undeleted(), got)
	}
	only := sentence(a)
	if got := w.trials(judged(t, w, only), [][]Fill{{{ID: a}}}); len(got) != 0 {
		t.Errorf("%d edits of one word that SMLM proposes again", len(got))
	}
}

// TestUnknownWordsStay checks that with KeepUnknown a masked word outside the vocabulary stays.
func TestUnknownWordsStay(t *testing.T) {
	const a = corpus.NumSpecial + 3
	m := &made{}
	how := usual
	how.Style = 5
	changed := map[bool]bool{}
	for _, keep := range []bool{false, true} {
		for k := range int64(10) {
			w := m.writer(how)
			w.KeepUnknown = keep
			words := write(t, w, sentence(a+k, corpus.UnkID, a), 1)[0][0].Words
			unknown := slices.IndexFunc(words, func(w Word) bool { return w.ID == corpus.UnkID && w.Origin == Kept })
			changed[keep] = changed[keep] || unknown < 0
		}
	}
	if changed[true] || !changed[false] {
		t.Errorf("an unknown word is changed: %v", changed)
	}
}

// TestSettingsAct checks that each setting changes outputs.
func TestSettingsAct(t *testing.T) {
	outputs := func(change func(w *Writer)) (all [][]int64) {
		w := (&made{}).writer(usual)
		change(w)
		for k := range int64(20) {
			ids := make([]int64, 6)
			for i := range ids {
				ids[i] = corpus.NumSpecial + (k*k+3*int64(i*i)+int64(i)*k)%20
			}
			all = append(all, write(t, w, sentence(ids...), 1)[0][0].IDs())
		}
		return all
	}
	base := outputs(func(*Writer) {})
	for name, change := range map[string]func(w *Writer){
		"style": func(w *Writer) { w.How.Style = 5 }, "fluency": func(w *Writer) { w.How.Fluency = 2 },
		"phrases": func(w *Writer) { w.Phrases.Counterparts = nil },
	} {
		if slices.EqualFunc(base, outputs(change), slices.Equal) {
			t.Errorf("%s changes no output of 20", name)
		}
	}
}

// TestCanceled checks that an error of a model ends the search with that error.
func TestCanceled(t *testing.T) {
	for n := range 3 {
		m := &made{}
		w := m.writer(usual)
		f := &failing{made: m, after: n}
		w.Guide, w.Filler = f, f
		_, err := w.Write(context.Background(), sentence(corpus.NumSpecial, corpus.NumSpecial+1), 1)
		if !errors.Is(err, errFailed) {
			t.Errorf("after %d calls: %v", n, err)
		}
	}
}

var errFailed = errors.New("failed")

// The methods of the type failing return an error after the given number of calls.
type failing struct {
	*made
	after int
}

func (f *failing) Fills(ctx context.Context, d corpus.Encoded) ([][][]Fill, error) {
	if f.after--; f.after < 0 {
		return nil, errFailed
	}
	return f.made.Fills(ctx, d)
}

func (f *failing) LogProbs(ctx context.Context, all [][]int64) ([][]float64, error) {
	if f.after--; f.after < 0 {
		return nil, errFailed
	}
	return f.made.LogProbs(ctx, all)
}
