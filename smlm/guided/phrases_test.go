package guided

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"pgregory.net/rapid"
)

// TestFindPhrases checks that phrases of two styles become counterparts if they occur between the
// same words, and that likeness and gain are right. Phrases with punctuation, unknown words or rare
// words must not be in the table.
func TestFindPhrases(t *testing.T) {
	const i, love, hate, it, so, much, stop, rare = 10, 11, 12, 13, 14, 15, 16, 17
	var d corpus.Encoded
	add := func(n, style int, ids ...int64) {
		for range n {
			d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, style)
		}
	}
	add(30, 1, i, love, it, stop)
	add(10, 1, i, love, so, much, stop)
	add(30, 0, i, hate, it, stop)
	add(10, 0, i, corpus.UnkID, so, much, stop)
	add(10, 0, i, rare, it, stop)
	punctuation := make([]bool, 20)
	punctuation[stop] = true
	found := FindPhrases(d, 2, punctuation)
	table := found.Counterparts[corpus.Direction{From: 0, To: 1}]
	got := table[PhraseOf([]int64{hate})]
	if len(got) != 1 || !slices.Equal(got[0].IDs, []int64{love}) {
		t.Fatalf("counterparts of hate: %+v", got)
	}
	// The word "hate" always occurs between "i" and "it", and the word "love" in 30 of 40 cases.
	if want := math.Sqrt(30. / 40); math.Abs(got[0].Likeness-want) > 1e-12 {
		t.Errorf("likeness %v, want %v", got[0].Likeness, want)
	}
	words := [2]float64{30*4 + 10*5 + 10*4, 30*4 + 10*5}
	odds := func(n0, n1 float64) float64 {
		return math.Log((n1+1)/(words[1]+1)) - math.Log((n0+1)/(words[0]+1))
	}
	if want := odds(0, 40) - odds(30, 0); math.Abs(got[0].Gain-want) > 1e-12 {
		t.Errorf("gain %v, want %v", got[0].Gain, want)
	}
	want := math.Log((40+3)/(words[1]+3)) - math.Log((0+3)/(words[0]+3))
	if got := found.odds(love, corpus.Direction{From: 0, To: 1}); math.Abs(got-want) > 1e-12 {
		t.Errorf("log odds of love are %v, want %v", got, want)
	}
	for d, table := range found.Counterparts {
		for p, all := range table {
			for _, ids := range append([][]int64{p.IDs()}, counterpartIDs(all)...) {
				if slices.Contains(ids, stop) || slices.Contains(ids, rare) || slices.Contains(ids, corpus.UnkID) {
					t.Errorf("%v: phrase %v has punctuation, a rare or an unknown word", d, ids)
				}
			}
		}
	}
}

func counterpartIDs(all []Counterpart) (ids [][]int64) {
	for _, c := range all {
		ids = append(ids, c.IDs)
	}
	return ids
}

// TestPhrasesByDefinition compares the counterparts in random texts with a direct implementation of
// their definition, which checks each pair of phrases.
func TestPhrasesByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d corpus.Encoded
		for k := range 400 {
			ids := make([]int64, 2+k%3)
			for i := range ids {
				ids[i] = 10 + rapid.Int64Range(0, 3).Draw(t, "word")
			}
			d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, k%2)
		}
		found := FindPhrases(d, 2, make([]bool, 20))
		uses := [2]map[Phrase]map[around]float64{{}, {}}
		words := [2]float64{}
		for k, ids := range d.IDs {
			s := d.Styles[k]
			words[s] += float64(len(ids))
			eachPhrase(ids, make([]bool, 20), func(p Phrase, a around) {
				if uses[s][p] == nil {
					uses[s][p] = map[around]float64{}
				}
				uses[s][p][a]++
			})
		}
		total := func(s int, p Phrase) (n float64) {
			for _, c := range uses[s][p] {
				n += c
			}
			return n
		}
		odds := func(p Phrase) float64 {
			return math.Log((total(1, p)+1)/(words[1]+1)) - math.Log((total(0, p)+1)/(words[0]+1))
		}
		table := found.Counterparts[corpus.Direction{From: 0, To: 1}]
		for p := range uses[0] {
			var want []Counterpart
			for q := range uses[1] {
				likeness := 0.0
				for a, n := range uses[0][p] {
					likeness += math.Sqrt(n / total(0, p) * uses[1][q][a] / total(1, q))
				}
				gain := odds(q) - odds(p)
				often := total(0, p)+total(1, p) >= rarePhrase && total(0, q)+total(1, q) >= rarePhrase
				if often && total(1, q) >= rareCounterpart && likeness >= minLikeness && gain >= minGain {
					want = append(want, Counterpart{q.IDs(), likeness, gain})
				}
			}
			if got := table[p]; len(got) != min(len(want), maxCounterparts) {
				t.Fatalf("%v has %d counterparts, want %d", p, len(got), len(want))
			}
			for _, c := range table[p] {
				if !slices.ContainsFunc(want, func(w Counterpart) bool {
					return slices.Equal(w.IDs, c.IDs) &&
						math.Abs(w.Likeness-c.Likeness) < 1e-9 && math.Abs(w.Gain-c.Gain) < 1e-9
				}) {
					t.Fatalf("%v has the counterpart %+v, which is none of %+v", p, c, want)
				}
			}
		}
	})
}
