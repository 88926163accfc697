package classifier

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Odds holds the log-odds of words in the training text.
type Odds struct {
	logOdds [][]float64 // by style and id: log p(w | style) - log p(w | other styles)
}

// CountOdds counts the words of the training text. styles and vocab are the numbers of styles and
// of word ids. For the log-odds, half an occurrence is added to each count. So the log-odds stay
// finite if a style lacks a word.
func CountOdds(train corpus.Encoded, styles, vocab int) *Odds {
	o := &Odds{logOdds: make([][]float64, styles)}
	counts, total := make([][]float64, styles), make([]float64, styles)
	for s := range styles {
		o.logOdds[s], counts[s] = make([]float64, vocab), make([]float64, vocab)
	}
	for i, ids := range train.IDs {
		for _, id := range ids {
			counts[train.Styles[i]][id]++
			total[train.Styles[i]]++
		}
	}
	for s := range styles {
		for w := corpus.NumSpecial; w < vocab; w++ {
			othersCount, othersTotal := 0.0, 0.0
			for other := range styles {
				if other != s {
					othersCount, othersTotal = othersCount+counts[other][w], othersTotal+total[other]
				}
			}
			o.logOdds[s][w] = math.Log((counts[s][w]+.5)/(total[s]+1)) - math.Log((othersCount+.5)/(othersTotal+1))
		}
	}
	return o
}

// The limits for Silent. For each style, Silent computes the share of sentences that a single word
// decides. A style is silent if its share is below silentShare times the largest share of any
// style. In the data sets of docs/decisions/040-one-sided.md, the smaller share of two styles is at
// least 0.59 times the larger share if both styles have words of their own, and at most 0.32 times
// if only one has. If a style has fewer than silentLeast correctly classified sentences, its share
// says little, so the style is never silent.
const (
	silentShare = 0.4
	silentLeast = 100
)

// Silent returns the silent styles. A silent style has no words of its own: its sentences are
// recognised because they lack the words of other styles. A sentence is classified by the sum of
// the log-odds of its words. A single word decides the sentence if the class changes without the
// word of the highest log-odds. decided holds, for each style, the share of its correctly
// classified sentences that a single word decides. In a silent style this share is small.
func (o *Odds) Silent(d corpus.Encoded) (silent []int, decided []float64) {
	right := make([]float64, len(o.logOdds))
	decided = make([]float64, len(o.logOdds))
	for i, ids := range d.IDs {
		style := d.Styles[i]
		sum, most := 0.0, 0.0
		for _, id := range ids {
			sum, most = sum+o.logOdds[style][id], max(most, o.logOdds[style][id])
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
