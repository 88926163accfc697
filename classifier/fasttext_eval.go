package classifier

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
)

// Evaluate returns mean cross-entropy and accuracy in percent, 0 and 0 for no sentences.
func (m *FastText) Evaluate(d corpus.Encoded) nn.Validation {
	var loss, right float64
	m.each(d.IDs, func(i int, z0, z1 float32) {
		l, _ := negLogLik(z0, z1, d.Styles[i])
		loss += l
		if style(z0, z1) == d.Styles[i] {
			right++
		}
	})
	n := float64(max(1, len(d.IDs)))
	return nn.Validation{Loss: loss / n, Accuracy: 100 * right / n}
}

// Predict returns the likelier style of every sentence, 0 where both are equal: so also for one of
// unknown words alone or of none.
func (m *FastText) Predict(ids [][]int64) []int {
	out := make([]int, len(ids))
	m.each(ids, func(i int, z0, z1 float32) { out[i] = style(z0, z1) })
	return out
}

// LogOdds returns log p(1)/p(0) of every sentence.
func (m *FastText) LogOdds(ids [][]int64) []float64 {
	out := make([]float64, len(ids))
	m.each(ids, func(i int, z0, z1 float32) { out[i] = float64(z1) - float64(z0) })
	return out
}

func style(z0, z1 float32) int {
	if z1 > z0 {
		return 1
	}
	return 0
}

// each calls fn with the logits of every sentence.
func (m *FastText) each(ids [][]int64, fn func(i int, z0, z1 float32)) {
	h := m.scratch().hidden
	var features []int32
	for i, row := range ids {
		features = m.features(features[:0], row)
		z0, z1 := m.hidden(h, features)
		fn(i, z0, z1)
	}
}
