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
// training or, where none was healthy, the one nearest to it. The others are freed. No training
// begins anew where that would not help, as AttentionHealth.Carried has it of an LSTM that reads
// one way.
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
		if !h.Healthy() { // for the stage's own log: how it ended is said at the end of the run
			what := "attention is not on style words: training starts again with other weights"
			switch {
			case restart < restarts && last:
				what = "attention lies on the word after the style words; restarts do not change this in an " +
					"LSTM that reads one way, so none is made: set divlstm.bidirectional = true"
			case last:
				what = "attention is still not on style words: the best training is kept"
			}
			log.Info(what, "training", fmt.Sprintf("%d of %d", restart+1, restarts+1),
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

// health looks at the attention of dev sentences of so many styles; with a selector at how much of
// its evidence the most-attended words are. It judges styles that are not silent.
func health(
	dev corpus.Encoded, styles int, attention [][]float32, selector *classifier.FastText, silent []int,
) *AttentionHealth {
	h := &AttentionHealth{Silent: silent}
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
		h.judge(dev, styles, tops, selector)
	}
	return h
}

// judge asks a selector about the most-attended words: by style, which share of its evidence
// leaving them out takes.
func (h *AttentionHealth) judge(d corpus.Encoded, styles int, tops []int, selector *classifier.FastText) {
	taken, best := make([]float64, styles), make([]float64, styles)
	telling := make([]int, len(tops)) // the word of most evidence, -1 where no word has any
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

// after returns in which share of the sentences that are judged, and have a word of most evidence,
// the most-attended word stands after that.
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
	Found []float64 `json:"found,omitempty"`
	// Silent are the styles without words of their own: their sentences are told by the absence of
	// the other styles' words. Attention is not judged there, as it has nothing to lie on.
	Silent []int `json:"silent,omitempty"`
	// After is, of attention that is not healthy, in which share of sentences the most-attended
	// word stands after the word that says most: the states of an LSTM that reads one way carry the
	// style on to the end.
	After    float64 `json:"after,omitempty"`
	Restarts int     `json:"restarts,omitempty"` // trainings beside this one that were thrown away
}

// healthyFound is the share that the most-attended words of each style with evidence must take.
const healthyFound = 0.25

// Healthy tells whether the most-attended words carry style, as far as that was asked.
func (h *AttentionHealth) Healthy() bool { return h.Found == nil || h.Least() >= healthyFound }

// carriedShare is in nearly all sentences: where attention lies after the telling word in half of
// them, another start may still find that word.
const carriedShare = 0.9

// Carried tells whether attention lies after the words of the only styles that have any, as the
// states of an LSTM that reads one way carry the style on.
func (h *AttentionHealth) Carried() bool { return len(h.Silent) > 0 && h.After >= carriedShare }

// Least is what was found in the style where that is least, of those with evidence; a selector was
// asked.
func (h *AttentionHealth) Least() float64 {
	least := math.Inf(1)
	for style, found := range h.Found {
		if !slices.Contains(h.Silent, style) {
			least = min(least, found)
		}
	}
	return least
}
