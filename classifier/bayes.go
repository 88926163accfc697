package classifier

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Bayes is multinomial naive Bayes over words and pairs of neighbours, counts smoothed by 1 (Wang
// and Manning 2012, "MNB bigrams"). It is a judge of outputs of another kind than the Bi-LSTM, and
// does nothing else.
type Bayes struct {
	prior  float32            // log p(style 1) - log p(style 0)
	ratios map[uint64]float32 // by feature: log p(feature | style 1) - log p(feature | style 0)
}

// features calls fn with every word of a sentence and with every pair of neighbours.
func features(ids []int64, fn func(uint64)) {
	for k, id := range ids {
		fn(uint64(id))
		if k > 0 {
			fn(uint64(ids[k-1]+1)<<32 | uint64(id))
		}
	}
}

// NewBayes counts the training sentences.
func NewBayes(d corpus.Encoded) *Bayes {
	var sentences, total [2]float64
	counts := map[uint64]*[2]float64{}
	for i, ids := range d.IDs {
		style := d.Styles[i]
		sentences[style]++
		features(ids, func(f uint64) {
			if counts[f] == nil {
				counts[f] = &[2]float64{1, 1}
			}
			counts[f][style]++
			total[style]++
		})
	}
	n := float64(len(counts))
	b := &Bayes{
		prior:  float32(math.Log((sentences[1] + 1) / (sentences[0] + 1))),
		ratios: make(map[uint64]float32, len(counts)),
	}
	for f, c := range counts {
		b.ratios[f] = float32(math.Log(c[1]/(total[1]+n)) - math.Log(c[0]/(total[0]+n)))
	}
	return b
}

// Predict returns the likelier style of every sentence, 0 where both are equally likely. What the
// training text never had says nothing.
func (b *Bayes) Predict(ids [][]int64) []int {
	out := make([]int, len(ids))
	for i, row := range ids {
		sum := float64(b.prior)
		features(row, func(f uint64) { sum += float64(b.ratios[f]) })
		if sum > 0 {
			out[i] = 1
		}
	}
	return out
}

// Accuracy returns the percentage of sentences whose style it finds, 0 for none.
func (b *Bayes) Accuracy(d corpus.Encoded) float64 {
	right := 0
	for i, style := range b.Predict(d.IDs) {
		if style == d.Styles[i] {
			right++
		}
	}
	return 100 * float64(right) / float64(max(1, len(d.IDs)))
}

// Features counts what has a weight.
func (b *Bayes) Features() int { return len(b.ratios) }
