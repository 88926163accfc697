package main

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

func TestSyntheticIsSeeded(t *testing.T) {
	a := synthetic(50, reviews, 500, 1)
	if !reflect.DeepEqual(a, synthetic(50, reviews, 500, 1)) {
		t.Error("another draw for the same seed")
	}
	if reflect.DeepEqual(a, synthetic(50, reviews, 500, 2)) {
		t.Error("the same draw for another seed")
	}
}

// TestSyntheticLengths: the lengths are those the tables speak of.
func TestSyntheticLengths(t *testing.T) {
	for name, c := range map[string]struct {
		lengthRange
		least, most int
		Mean        float64
	}{"reviews": {reviews, 1, 15, 9}, "pairs": {sentencePairs, 8, 60, 25}, "fixed": {fixed(12), 12, 12, 12}} {
		s := synthetic(4000, c.lengthRange, 500, 1)
		least, most := len(s.IDs[0]), len(s.IDs[0])
		for _, ids := range s.IDs {
			least, most = min(least, len(ids)), max(most, len(ids))
		}
		if least < c.least || most > c.most || math.Abs(s.Mean()-c.Mean) > .3 {
			t.Errorf(
				"%s: %d to %d words, %.2f on average, want %d to %d and %v", name, least, most, s.Mean(), c.least,
				c.most, c.Mean,
			)
		}
		if name == "reviews" && (least != 1 || most != 15) {
			t.Errorf("%s: not all of 1 to 15 occur", name)
		}
	}
}

// TestSyntheticWords: words by Zipf's law, none of them special, a fifth masked and at least one a
// sentence, both styles.
func TestSyntheticWords(t *testing.T) {
	s := synthetic(5000, reviews, 1000, 1)
	counts, masked, styles := map[int64]int{}, 0, [2]int{}
	for i, ids := range s.IDs {
		for _, id := range ids {
			if id < corpus.NumSpecial || id >= 1000 {
				t.Fatalf("word %d of a vocabulary of 1000", id)
			}
			counts[id]++
		}
		if !slices.Contains(s.Masks[i], true) {
			t.Fatalf("sentence %d has no masked word", i)
		}
		for _, on := range s.Masks[i] {
			if on {
				masked++
			}
		}
		styles[s.Styles[i]]++
	}
	if ratio := float64(counts[corpus.NumSpecial]) / float64(counts[corpus.NumSpecial+9]); math.Abs(ratio-10) > 2 {
		t.Errorf("the most frequent word is %.1f times as frequent as the tenth, want 10", ratio)
	}
	// A fifth by chance and, of 9 words, one for certain, unless chance had it: .2 + .8/9.
	if share := float64(masked) / float64(s.Words()); math.Abs(share-.29) > .03 {
		t.Errorf("%.2f of the words are masked", share)
	}
	if styles[0] != styles[1] {
		t.Errorf("styles %v", styles)
	}
}

func TestSentencesFile(t *testing.T) {
	s := synthetic(20, reviews, 300, 1)
	path := filepath.Join(t.TempDir(), "data.txt")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := readSentences(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, s) {
		t.Errorf("read %v, wrote %v", got, s)
	}
}

// TestMadeUp: a system of words that scorers' tokenisers leave whole, most of which are the
// source's.
func TestMadeUp(t *testing.T) {
	s := newSyntheticSystem(200, 1)
	same, words := 0, 0
	for i, out := range s.Outputs {
		if len(out) != len(s.Sources[i]) {
			t.Fatalf("output %d has %d words for %d", i, len(out), len(s.Sources[i]))
		}
		for k, w := range out {
			words++
			if w == s.Sources[i][k] {
				same++
			}
		}
	}
	if share := float64(same) / float64(words); share < .7 || share > .85 {
		t.Errorf("%.2f of the words are the source's", share)
	}
	seen := map[string]int64{}
	for id := range int64(10_000) {
		w := spell(id)
		if other, dup := seen[w]; dup {
			t.Fatalf("%q is both word %d and %d", w, other, id)
		}
		seen[w] = id
	}
}

// TestStyled: a word tells the style of its sentence, most that do are masked, and no draw leaves
// the vocabulary.
func TestStyled(t *testing.T) {
	s := styled(2000, reviews, 1000, 1)
	of := int64(1000-corpus.NumSpecial) / 10
	var own, stray, masked, words int
	for i, ids := range s.IDs {
		for k, id := range ids {
			words++
			if id < corpus.NumSpecial || id >= 1000 {
				t.Fatalf("sentence %d has the id %d", i, id)
			}
			style := int((id - corpus.NumSpecial) / of)
			switch style {
			case s.Styles[i]:
				own++
			case 1 - s.Styles[i]:
				stray++
			default:
				continue
			}
			if s.Masks[i][k] {
				masked++
			}
		}
	}
	if share := float64(own+stray) / float64(words); share < .18 || share > .26 {
		t.Errorf("%.3f of the words tell a style", share)
	}
	if 4*stray > own || stray == 0 || masked < (own+stray)*95/100 {
		t.Errorf("%d words of the own style, %d of the other, %d masked", own, stray, masked)
	}
	if again := styled(2000, reviews, 1000, 1); !slices.EqualFunc(s.IDs, again.IDs, slices.Equal) {
		t.Error("the same seed draws other sentences")
	}
}
