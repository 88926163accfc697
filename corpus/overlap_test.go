package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// TestOverlaps: counted by hand.
func TestOverlaps(t *testing.T) {
	const long = "we walked home along the river in the rain" // 9 words
	d := NewDataset("toy", Styles{"wet", "dry"})
	s := func(lines ...string) (out []Sentence) {
		for _, l := range lines {
			out = append(out, strings.Fields(l))
		}
		return out
	}
	d.Text[Train][0] = s(long+" .", "a wet day", "?")
	d.Text[Train][1] = s("dry !")
	d.Text[Dev][0] = s(
		long+" .",              // equal
		"A wet day ...",        // folded
		"a wet night", "a day", // too short to be one word apart
		"?", "!", // equal; of signs alone, and another
		strings.ToUpper(long[3:]), // one word less, in capitals
	)
	d.Text[Dev][1] = s("dry")
	d.Text[Test][0] = s(
		"we walked home along the river in the dark",      // one other word than train and dev
		"then we walked home along the river in the rain", // one word more than train, two than the last of dev
		"home we walked along the river in the rain",      // a word moved
		long+" too late",
	)
	d.Text[Test][1] = s("dry !")
	want := []Overlap{
		{Split: "dev", In: "train", Sentences: 8, Equal: 2, Folded: 4, Near: 5},
		{Split: "test", In: "train", Sentences: 5, Equal: 1, Folded: 1, Near: 3},
		{Split: "test", In: "dev", Sentences: 5, Equal: 0, Folded: 1, Near: 3},
	}
	got := d.Overlaps()
	if !slices.Equal(got, want) {
		t.Errorf("\n%+v\nwant\n%+v", got, want)
	}
	for i, suspect := range []bool{true, false, false} { // one sentence is in every corpus
		if got[i].Suspect() != suspect {
			t.Errorf("%+v is suspect: %v", got[i], !suspect)
		}
	}
}

// TestOneApart: sentences found by the texts they have in common are those that the definition
// finds by trying every change.
func TestOneApart(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b"})
	sentence := rapid.SliceOfN(word, nearWords-1, nearWords+2)
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(sentence, 1, 8)
		texts, others := some.Draw(t, "texts"), some.Draw(t, "others")
		n := newNeighbours(texts)
		for _, o := range others {
			n.meet(o)
		}
		for i, text := range texts {
			want := slices.ContainsFunc(others, func(o Sentence) bool {
				return len(text) >= nearWords && len(o) >= nearWords && changes(text, o) <= 1
			})
			if n.met[i] != want {
				t.Fatalf("%v of %v: found %v", text, others, n.met[i])
			}
		}
	})
}

// changes is the edit distance in words (Levenshtein 1966).
func changes(a, b Sentence) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// TestOverlapsIMDb: the published test sentences that are dev sentences, as
// `grep -Fxc -f` counts them.
func TestOverlapsIMDb(t *testing.T) {
	d, err := Load(testkit.Shared(t, "imdb"), "imdb", []string{"negative", "positive"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range d.Overlaps() {
		if o.Split == "test" && o.In == "dev" && (o.Equal != 79 || !o.Suspect()) {
			t.Errorf("%+v", o)
		}
	}
}
