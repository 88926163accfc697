package stages

import (
	"log/slog"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
)

// attendedTraining is a trained Diversity-LSTM whose attention was looked at.
type attendedTraining struct {
	Model   *divlstm.Model
	History *nn.History
	Health  *AttentionHealth
}

// Free gives the model's memory back; of nil nothing.
func (a *attendedTraining) Free() {
	if a != nil && a.Model != nil {
		a.Model.Params.Free()
	}
}

// healthiest trains until the attention is healthy, with so many restarts at most, and returns that
// training or, where none was healthy, the one nearest to it. The others are freed.
func healthiest(
	restarts int, log *slog.Logger, train func(restart int) (*attendedTraining, error),
) (*attendedTraining, error) {
	var best *attendedTraining
	for restart := 0; ; restart++ {
		a, err := train(restart)
		if err != nil {
			best.Free()
			return nil, err
		}
		if best == nil || a.Health.Healthy() || a.Health.Least() > best.Health.Least() {
			best.Free()
			best = a
		} else {
			a.Free()
		}
		last := restart >= restarts
		if !a.Health.Healthy() { // for the stage's own log: how it ended is said at the end of the run
			what := "attention is not on style words: training begins anew"
			if last {
				what = "attention is still not on style words: the training nearest to it is kept"
			}
			log.Info(what, "share of the selector's evidence in the most-attended words", a.Health.Found)
		}
		if last || a.Health.Healthy() {
			best.Health.Restarts = restart
			return best, nil
		}
	}
}

// health looks at the attention of dev sentences of so many styles; with a selector at how much of
// its evidence the most-attended words are.
func health(
	dev corpus.Encoded, styles int, attention [][]float32, selector *classifier.FastText,
) *AttentionHealth {
	h := &AttentionHealth{}
	tops := make([]int, len(attention))
	for i, row := range attention {
		entropy := 0.0
		for k, a := range row {
			if a > row[tops[i]] {
				tops[i] = k
			}
			if a > 0 {
				entropy -= float64(a) * math.Log(float64(a))
			}
		}
		if n := len(row); n > 1 {
			h.Entropy += entropy / math.Log(float64(n)) / float64(len(attention))
		}
		h.TopShare += float64(row[tops[i]]) / float64(len(attention))
	}
	h.Entropy, h.TopShare = min(1, h.Entropy), min(1, h.TopShare) // sums of many shares round up
	if selector != nil {
		h.Found = found(dev, styles, tops, selector)
	}
	return h
}

// found returns, by style, the share of a selector's evidence that leaving out these words takes.
func found(d corpus.Encoded, styles int, tops []int, selector *classifier.FastText) []float64 {
	taken, best := make([]float64, styles), make([]float64, styles)
	for i, ids := range d.IDs {
		style := d.Styles[i]
		without := [][]int64{ids}
		for k := range ids {
			without = append(without, slices.Delete(slices.Clone(ids), k, k+1))
		}
		odds := selector.LogOdds(without, style)
		if most := odds[0] - slices.Min(odds[1:]); most > 0 {
			taken[style] += odds[0] - odds[1+tops[i]]
			best[style] += most
		}
	}
	for style, all := range best {
		if all > 0 {
			taken[style] /= all
		}
	}
	return taken
}

// AttentionHealth says whether attention lies on words that carry style, over the dev set. A
// training may end with attention on the full stop of every sentence of one style, at equal
// accuracy.
type AttentionHealth struct {
	Entropy  float64 `json:"entropy"`   // mean of -sum a log a / log n, 0-1
	TopShare float64 `json:"top_share"` // mean attention of the most-attended word
	// Found is, by style, the evidence that leaving the most-attended word of each sentence out
	// takes from the selector, as a share of what the best word to leave out would: 1 where
	// attention is always on the word that says most, about 0 where it is on words that say
	// nothing. Evidence is the log odds of the sentence's own style. Nil where no selector was
	// asked.
	Found    []float64 `json:"found,omitempty"`
	Restarts int       `json:"restarts,omitempty"` // trainings beside this one that were thrown away
}

// healthyFound is the share that the most-attended words of each style must take.
const healthyFound = 0.25

// Healthy tells whether the most-attended words carry style, as far as that was asked.
func (h *AttentionHealth) Healthy() bool { return h.Found == nil || h.Least() >= healthyFound }

// Least is what was found in the style where that is least; a selector was asked.
func (h *AttentionHealth) Least() float64 { return slices.Min(h.Found) }
