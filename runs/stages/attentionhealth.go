package stages

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
)

// attendedTraining is a trained Diversity-LSTM and how well its attention finds words that carry
// style.
type attendedTraining struct {
	Model   *divlstm.Model
	History *nn.History
	Health  *AttentionHealth
}

// Free frees the model's memory. a may be nil.
func (a *attendedTraining) Free() {
	if a != nil && a.Model != nil {
		a.Model.Params.Free()
	}
}

// healthiest trains a Diversity-LSTM until its attention lies on words that carry style (see
// AttentionHealth.Healthy), with at most the given number of restarts. If no training run gets
// there, healthiest returns the run that came closest. It frees the models of the other runs. If
// AttentionHealth.Carried is true for a one-way LSTM, there is no restart, because other weights
// would not help.
func healthiest(
	restarts int, oneWay bool, log *slog.Logger, train func(restart int) (*attendedTraining, error),
) (*attendedTraining, error) {
	var best *attendedTraining
	for restart := 0; ; restart++ {
		began := time.Now()
		a, err := train(restart)
		if err != nil {
			best.Free()
			return nil, err
		}
		h := a.Health
		if best == nil || h.Healthy() || h.Least() > best.Health.Least() {
			best.Free()
			best = a
		} else {
			a.Free()
		}
		last := restart >= restarts || oneWay && h.Carried()
		if !h.Healthy() { // log this attempt, because the run reports only the final result
			what := "attention is not on style words: training starts again with other weights"
			switch {
			case restart < restarts && last:
				what = "attention lies on the word after the style words; restarts do not change this in an " +
					"LSTM that reads one way, so none is made"
			case last:
				what = "attention is still not on style words: the best training is kept"
			}
			log.Info(what, "attempt", fmt.Sprintf("%d of %d", restart+1, restarts+1),
				"took", time.Since(began).Round(100*time.Millisecond),
				"share of the selector's evidence in the most-attended words", h.Found,
				"styles without words of their own", h.Silent, "share of sentences with attention after the telling word", h.After)
		}
		if last || h.Healthy() {
			best.Health.Restarts = restart
			return best, nil
		}
	}
}

// health measures where the attention on dev sentences lies. The parameter silent lists the styles
// that are not judged. The selector is a classifier that shows which words carry style. Without a
// selector, health only sets TopShare.
func health(
	dev corpus.Encoded, styles int, attention [][]float32, selector *classifier.FastText, silent []int,
) *AttentionHealth {
	h := &AttentionHealth{Silent: silent}
	tops := make([]int, len(attention))
	for i, row := range attention {
		for k, a := range row {
			if a > row[tops[i]] {
				tops[i] = k
			}
		}
		h.TopShare += float64(row[tops[i]]) / float64(len(attention))
	}
	h.TopShare = min(1, h.TopShare) // rounding may make the sum exceed 1
	if selector != nil {
		h.judge(dev, styles, tops, selector)
	}
	return h
}

// judge sets the field Found and, if the attention is unhealthy, the field After.
func (h *AttentionHealth) judge(d corpus.Encoded, styles int, tops []int, selector *classifier.FastText) {
	taken, best := make([]float64, styles), make([]float64, styles)
	telling := make([]int, len(tops)) // per sentence, index of the word with most evidence; -1: no word has evidence
	for i, ids := range d.IDs {
		style := d.Styles[i]
		without := [][]int64{ids}
		for k := range ids {
			without = append(without, slices.Delete(slices.Clone(ids), k, k+1))
		}
		odds := selector.LogOdds(without, style)
		least := slices.Min(odds[1:])
		telling[i] = -1
		if most := odds[0] - least; most > 0 {
			taken[style] += odds[0] - odds[1+tops[i]]
			best[style] += most
			telling[i] = slices.Index(odds[1:], least)
		}
	}
	for style, all := range best {
		if all > 0 {
			taken[style] /= all
		}
	}
	h.Found = taken
	if !h.Healthy() {
		h.After = h.after(d.Styles, tops, telling)
	}
}

// The method after returns the share of sentences in which the most-attended word comes after the
// word with most evidence. It leaves out the sentences of the styles in h.Silent, and sentences
// without evidence.
func (h *AttentionHealth) after(styles, tops, telling []int) float64 {
	n, later := 0.0, 0.0
	for i, top := range tops {
		if telling[i] < 0 || slices.Contains(h.Silent, styles[i]) {
			continue
		}
		if n++; top > telling[i] {
			later++
		}
	}
	return later / max(1, n)
}

// AttentionHealth says whether attention on the dev set lies on words that carry style. This is not
// always so: a training run can end with attention on the full stop of every sentence of one style,
// although the accuracy is the same.
type AttentionHealth struct {
	TopShare float64 `json:"top_share"` // mean attention of the most-attended word
	// Found is, by style, the share of evidence that attention finds. Evidence is the selector's
	// log-odds of the sentence's own style. Found divides two sums over sentences: the evidence
	// lost by hiding the most-attended word, and the evidence lost by hiding the most telling word.
	// Found is 1 if attention is always on the most telling word, and about 0 if it is on words
	// that say nothing. It is nil without a selector.
	Found []float64 `json:"found,omitempty"`
	// Silent lists the styles without words of their own. Only the absence of the other styles'
	// words shows such a style. Attention then has no word to lie on, so it is not judged.
	Silent []int `json:"silent,omitempty"`
	// After is, for unhealthy attention, the share of sentences in which the most-attended word
	// comes after the most telling word. In a one-way LSTM this is often so, because its states
	// carry the style on to later words.
	After    float64 `json:"after,omitempty"`
	Restarts int     `json:"restarts,omitempty"` // number of discarded training runs
}

// healthyFound is the smallest healthy value of Found in each style that is not silent.
const healthyFound = 0.25

// Healthy reports whether the most-attended words carry style. Without a selector, it returns true.
func (h *AttentionHealth) Healthy() bool { return h.Found == nil || h.Least() >= healthyFound }

// carriedShare is the smallest value of After for which Carried is true. It is high because
// restarts can still help if attention comes after the telling word in, say, half of the sentences.
const carriedShare = 0.9

// Carried reports whether a style has no words of its own (see Silent) and attention comes after
// the telling words in nearly all sentences of the other styles. A one-way LSTM carries the style
// on to these later words.
func (h *AttentionHealth) Carried() bool { return len(h.Silent) > 0 && h.After >= carriedShare }

// Least returns the smallest value of Found among the styles that are judged. It needs a selector.
func (h *AttentionHealth) Least() float64 {
	least := math.Inf(1)
	for style, found := range h.Found {
		if !slices.Contains(h.Silent, style) {
			least = min(least, found)
		}
	}
	return least
}
