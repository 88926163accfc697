package metrics

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

func TestCollapse(t *testing.T) {
	for _, c := range []struct {
		name            string
		source, outputs [][]string
		want            Collapse
	}{
		// The new words are "best" (twice) and "warm": 3 occurrences, 2 different words. 1 of 2
		// outputs repeats a word.
		{
			"counted", testkit.Split("the soup was cold", "we left"), testkit.Split("the best best soup", "we left warm"),
			Collapse{"best", 2.0 / 3, 3, 2, 0.5, "best", 2.0 / 3, 3},
		},
		// A word is new even if it is in the source of another sentence. A word of the output's own
		// source is never new, however often the output has it.
		{
			"own source only", testkit.Split("cold soup", "nice room"), testkit.Split("cold cold", "cold room"),
			Collapse{"cold", 1, 1, 1, 0.5, "cold", 1, 2},
		},
		{
			"ties are broken in byte order", testkit.Split("x", "x", "x"), testkit.Split("pear", "fig Zoo", "apple"),
			Collapse{"Zoo", 0.25, 4, 4, 0, "Zoo", 0.25, 4},
		},
		{"case is kept", testkit.Split("Good day"), testkit.Split("good day"), Collapse{"good", 1, 1, 1, 0, "good", 1, 1}},
		{"no new word", testkit.Split("a b c"), testkit.Split("c c b"), Collapse{"", 0, 0, 0, 1, "c", 1, 1}},
		{"empty outputs", testkit.Split("a", "b"), testkit.Split("", ""), Collapse{}},
		{"nothing", nil, nil, Collapse{}},
		// One "the" comes from the source, and the other two are added.
		{
			"added to what the source has", testkit.Split("the ride led us to it"),
			testkit.Split("the ride the the to it"),
			Collapse{"", 0, 0, 0, 1, "the", 1, 2},
		},
		// A repetition that is also in the source does not count for RepeatShare, at any place of
		// the output. One more repetition of the same word counts, and so does a repetition of
		// another word. Words are case-sensitive.
		{
			"repeats of the source", testkit.Split("so very very cold", "it was very very cold"),
			testkit.Split("very very warm", "warm it was very very"),
			Collapse{"warm", 1, 2, 1, 0, "warm", 1, 2},
		},
		{
			"one repeat more", testkit.Split("a very very cold cold day"), testkit.Split("a very very very cold day"),
			Collapse{"", 0, 0, 0, 1, "very", 1, 1},
		},
		{
			"a repeat of another word", testkit.Split("very very cold day"), testkit.Split("very cold day day"),
			Collapse{"", 0, 0, 0, 1, "day", 1, 1},
		},
		{
			"another sentence's repeat", testkit.Split("very very cold", "cold"), testkit.Split("cold", "very very"),
			Collapse{"very", 1, 2, 1, 0.5, "very", 1, 2},
		},
		{"a repeat in another case", testkit.Split("Ha Ha"), testkit.Split("ha ha"), Collapse{"ha", 1, 2, 1, 1, "ha", 1, 2}},
		// A word that is repeated, but not directly, does not count.
		{"no direct repetition", testkit.Split("a"), testkit.Split("a b a b"), Collapse{"b", 1, 2, 1, 0, "b", 2.0 / 3, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CollapseOf(c.source, c.outputs); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestCollapsed checks, for each direction, systems just below and just at the thresholds of the
// flaw Collapsed.
func TestCollapsed(t *testing.T) {
	for _, c := range []struct {
		name             string
		share            float64
		newWords, inputs int
		want             bool
	}{
		{"nothing new", 0, 0, 500, false},
		{"below the share", .49, 1000, 500, false},
		{"at the share", .5, 1000, 500, true},
		{"everything", 1, 1000, 500, true},
		{"three sentences, one new word in all", 1, 1, 3, false},
		{"three sentences, each with the word", 1, 3, 3, false}, // at least 5 new words are needed
		{"ten sentences, each with the word", 1, 10, 10, true},
		{"ten sentences, a cautious system", 1, 2, 10, false},
		{"ten sentences, below the least", 1, 4, 10, false},
		{"ten sentences, at the least", 1, 5, 10, true},
		{"25 sentences, half of them rounded up", 1, 12, 25, false},
		{"25 sentences, at the least", 1, 13, 25, true},
		{"500 sentences, a cautious system", 1, 19, 500, false},
		{"500 sentences, at the least", 1, 20, 500, true},
		{"a report without the number", .5, 0, 500, true},
		{"a report without the number, below the share", .49, 0, 500, false},
	} {
		for k := range 3 {
			r := &Scores{Directions: []Direction{{N: c.inputs}, {N: c.inputs}, {N: c.inputs}}}
			d := &r.Directions[k]
			d.MostFrequentNewWordShare, d.NewWords = c.share, c.newWords
			if got := r.Has(Collapsed); got != c.want {
				t.Errorf("%s, direction %d: %v", c.name, k, got)
			}
		}
	}
}

// TestCollapsedByAddedWords checks the thresholds for added words. A model that writes "the"
// everywhere has few new words, but many added words.
func TestCollapsedByAddedWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		added int
		want  bool
	}{
		{"everywhere", 1, 400, true}, {"at the edge", .5, 20, true}, {"too few", 1, 19, false}, {"below", .49, 400, false},
	} {
		r := &Scores{Directions: make([]Direction, 2)}
		d := &r.Directions[1]
		d.N, d.NewWords, d.MostFrequentNewWord, d.MostFrequentNewWordShare = 500, 1, "ride", 1
		d.MostFrequentAddedWord, d.MostFrequentAddedShare, d.AddedWords = "the", c.share, c.added
		word, share, everywhere := d.MostFrequentWord()
		if got := r.Has(Collapsed); got != c.want || everywhere != c.want {
			t.Errorf("%s: collapsed %v, %v", c.name, got, everywhere)
		}
		if wantWord := map[bool]string{true: "the", false: "ride"}[c.want]; word != wantWord || c.want && share != c.share {
			t.Errorf("%s: %q %v", c.name, word, share)
		}
	}
}

// TestCollapsedOfOutputs checks that a system that writes one word into all ten sentences is
// collapsed, and that a system that changes at most two sentences is not.
func TestCollapsedOfOutputs(t *testing.T) {
	score := func(changed int) *Scores {
		dirs := make([]Input, 2)
		for k := range dirs {
			in := &dirs[k]
			in.From, in.To = "xy"[k:k+1], "yx"[k:k+1]
			for i := range 10 {
				source := []string{"the", "garden", "was", "quiet"}
				output := slices.Clone(source)
				if i < changed {
					output[3] = "great"
				}
				in.Source, in.Output = append(in.Source, source), append(in.Output, output)
			}
		}
		r, err := Score(dirs, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for changed, want := range map[int]bool{0: false, 1: false, 2: false, 10: true} {
		if got := score(changed).Has(Collapsed); got != want {
			t.Errorf("%d of 10 outputs with the word: %v", changed, got)
		}
	}
}
