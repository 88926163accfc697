package classifier

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Odds are the log odds of words in the training text.
type Odds struct {
	of     [][]float64 // of each style's words by id: log p(w | style) - log p(w | other styles)
	counts [][]float64 // how often the texts of a style have the word
}

// leastCount is how often the texts of a style must have a word before it is called a style word:
// of fewer occurrences log odds say little.
const leastCount = 5

// CountOdds counts the words of the training text, of so many styles and ids. Half an occurrence
// more keeps the odds of a word that a style lacks finite.
func CountOdds(train corpus.Encoded, styles, vocab int) *Odds {
	o := &Odds{of: make([][]float64, styles), counts: make([][]float64, styles)}
	total := make([]float64, styles)
	for s := range styles {
		o.of[s], o.counts[s] = make([]float64, vocab), make([]float64, vocab)
	}
	for i, ids := range train.IDs {
		for _, id := range ids {
			o.counts[train.Styles[i]][id]++
			total[train.Styles[i]]++
		}
	}
	for s := range styles {
		for w := corpus.NumSpecial; w < vocab; w++ {
			others, all := 0.0, 0.0
			for other := range styles {
				if other != s {
					others, all = others+o.counts[other][w], all+total[other]
				}
			}
			o.of[s][w] = math.Log((o.counts[s][w]+.5)/(total[s]+1)) - math.Log((others+.5)/(all+1))
		}
	}
	return o
}

// Words returns the style words of a style, those that its texts have often enough and whose log
// odds are so high at least, by id.
func (o *Odds) Words(style int, atLeast float64) []int64 {
	words := []int64{}
	for w := int64(corpus.NumSpecial); w < int64(len(o.of[style])); w++ {
		if o.counts[style][w] >= leastCount && o.of[style][w] >= atLeast {
			words = append(words, w)
		}
	}
	return words
}

// silentShare is the share of sentences that one word decides, of the share in the style where that
// is largest, below which a style has no words of its own. Training text of seven kinds that differ
// both ways has 0.59 or more, of five that are one-sided 0.27 or less. A share of fewer sentences
// than silentLeast says little.
const (
	silentShare = 0.4
	silentLeast = 100
)

// Silent returns the styles that have no words of their own: their sentences are told by the
// absence of the others' words. One word decides a sentence where its style is told right by the
// sum of the log odds and, without the word of most odds, would not be; decided is, by style, the
// share of the sentences told right that are so, which is small in a silent style.
func (o *Odds) Silent(d corpus.Encoded) (silent []int, decided []float64) {
	right := make([]float64, len(o.of))
	decided = make([]float64, len(o.of))
	for i, ids := range d.IDs {
		style := d.Styles[i]
		sum, most := 0.0, 0.0
		for _, id := range ids {
			sum, most = sum+o.of[style][id], max(most, o.of[style][id])
		}
		if sum <= 0 {
			continue
		}
		if right[style]++; sum <= most {
			decided[style]++
		}
	}
	for style := range decided {
		decided[style] /= max(1, right[style])
	}
	for style, share := range decided {
		if right[style] >= silentLeast && share < silentShare*slices.Max(decided) {
			silent = append(silent, style)
		}
	}
	return silent, decided
}
