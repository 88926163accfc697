package guided

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// LogShares returns log p(w) by style and word, below vocab, as Refiller.LogShare wants it of
// training sentences: p(w) is the share of w among the masked words of the style, and a word that
// never was masked counts as half a time.
func LogShares(d corpus.Encoded, vocab int) (logs [2][]float64) {
	var total [2]float64
	for style := range logs {
		logs[style] = make([]float64, vocab)
	}
	for i, masks := range d.Masks {
		style := d.Styles[i]
		for k, on := range masks {
			if on {
				logs[style][d.IDs[i][k]]++
				total[style]++
			}
		}
	}
	for style, words := range logs {
		for w, n := range words {
			words[w] = math.Log(max(n, .5) / max(total[style], 1))
		}
	}
	return logs
}
