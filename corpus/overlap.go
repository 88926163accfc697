package corpus

import (
	"slices"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Overlap counts the sentences of one split that also occur in another split. It counts all styles
// together. A model that was trained or selected on such a sentence would be tested on it again.
type Overlap struct {
	Split     string `json:"split"`
	In        string `json:"in"`
	Sentences int    `json:"sentences"` // number of sentences of Split
	Equal     int    `json:"equal"`     // number of sentences of Split that also occur, unchanged, in the split In
	// Folded counts the sentences that occur in the split In if case, punctuation and other signs
	// are ignored. It includes the sentences that Equal counts.
	Folded int `json:"folded"`
}

// Suspect reports whether the overlap is larger than usual: at least one sentence in a hundred, and
// at least two.
func (o *Overlap) Suspect() bool { return o.Folded >= 2 && 100*o.Folded >= o.Sentences }

// splitPairs are the pairs of splits. The first split of a pair should share no sentence with the
// second.
var splitPairs = [][2]Split{{Dev, Train}, {Test, Train}, {Test, Dev}}

// Overlaps compares every pair of splits.
func (d *Dataset) Overlaps() []Overlap {
	var all, folded [3][]Sentence
	for _, s := range Splits {
		all[s] = slices.Concat(d.Text[s]...)
		folded[s] = lists.Map(all[s], fold)
	}
	var out []Overlap
	for _, p := range splitPairs {
		split, other := p[0], p[1]
		o := Overlap{Split: split.String(), In: other.String(), Sentences: len(all[split])}
		equal, equalFolded := occurIn(all[split], all[other]), occurIn(folded[split], folded[other])
		for i := range all[split] {
			if equal[i] {
				o.Equal++
			}
			if equal[i] || equalFolded[i] {
				o.Folded++
			}
		}
		out = append(out, o)
	}
	return out
}

// occurIn reports for each sentence whether the list "others" contains it too. Empty sentences do
// not count, because the function fold empties every sentence that consists only of punctuation.
func occurIn(sentences, others []Sentence) []bool {
	known := setOf([][]Sentence{others})
	return lists.Map(sentences, func(words Sentence) bool { return len(words) > 0 && known.has(words) })
}

// sentenceSet holds the hashes of sentences.
type sentenceSet map[uint64]bool

// setOf returns the set of all sentences of the given texts.
func setOf(texts ...[][]Sentence) sentenceSet {
	set := sentenceSet{}
	for _, words := range slices.Concat(slices.Concat(texts...)...) {
		set[hashed("unseen", words)] = true
	}
	return set
}

// has reports whether the set has a sentence.
func (s sentenceSet) has(words Sentence) bool { return s[hashed("unseen", words)] }

// fold returns the words in lower case, with only their letters, digits and marks. It drops words
// that have none.
func fold(words Sentence) Sentence {
	out := make(Sentence, 0, len(words))
	for _, w := range words {
		w = strings.Map(func(r rune) rune {
			if !unicode.In(r, unicode.L, unicode.N, unicode.M) {
				return -1
			}
			return unicode.ToLower(r)
		}, w)
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}
