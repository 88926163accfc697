package stages

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// attentionHealth looks at the attention of dev sentences; with a selector at what the
// most-attended words are worth to it.
func attentionHealth(dev nn.Labelled, attention [][]float32, selector *classifier.FastText) *kind.AttentionHealth {
	h := &kind.AttentionHealth{}
	without := nn.Labelled{Styles: dev.Styles}
	for i, row := range attention {
		top, entropy := 0, 0.0
		for k, a := range row {
			if a > row[top] {
				top = k
			}
			if a > 0 {
				entropy -= float64(a) * math.Log(float64(a))
			}
		}
		if n := len(row); n > 1 {
			h.Entropy += entropy / math.Log(float64(n)) / float64(len(attention))
		}
		h.TopShare += float64(row[top]) / float64(len(attention))
		without.IDs = append(without.IDs, slices.Delete(slices.Clone(dev.IDs[i]), top, top+1))
	}
	if selector != nil {
		before, after := accuracies(selector, dev), accuracies(selector, without)
		h.Worth = &[2]float64{before[0] - after[0], before[1] - after[1]}
	}
	return h
}

// accuracies are the selector's in percent, by style.
func accuracies(selector *classifier.FastText, d nn.Labelled) (percent [2]float64) {
	var of [2]nn.Labelled
	for i, style := range d.Styles {
		of[style].IDs, of[style].Styles = append(of[style].IDs, d.IDs[i]), append(of[style].Styles, style)
	}
	for style := range of {
		percent[style] = selector.Evaluate(of[style]).Accuracy
	}
	return percent
}
