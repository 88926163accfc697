package stages

import (
	"log/slog"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// attended is a trained Diversity-LSTM whose attention was looked at.
type attended struct {
	model   *divlstm.Model
	history *nn.History
	health  *kind.AttentionHealth
}

func (a *attended) free() {
	if a != nil && a.model != nil {
		a.model.Params.Free()
	}
}

// healthiest trains until the attention is healthy, with so many restarts at most, and returns that
// training or, where none was healthy, the one nearest to it. The others are freed.
func healthiest(restarts int, log *slog.Logger, train func(restart int) (*attended, error)) (*attended, error) {
	var best *attended
	for restart := 0; ; restart++ {
		a, err := train(restart)
		if err != nil {
			best.free()
			return nil, err
		}
		if best == nil || a.health.Healthy() || a.health.Least() > best.health.Least() {
			best.free()
			best = a
		} else {
			a.free()
		}
		if a.health.Healthy() || restart >= restarts {
			best.health.Restarts = restart
			return best, nil
		}
		log.Warn("attention is not on style words: training begins anew",
			"share of the selector's evidence in the most-attended words", *a.health.Found)
	}
}

// attentionHealth looks at the attention of dev sentences; with a selector at how much of its
// evidence the most-attended words are.
func attentionHealth(dev nn.Labelled, attention [][]float32, selector *classifier.FastText) *kind.AttentionHealth {
	h := &kind.AttentionHealth{}
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
	if selector != nil {
		h.Found = found(dev, tops, selector)
	}
	return h
}

// found returns, by style, the share of a selector's evidence that leaving out these words takes.
func found(d nn.Labelled, tops []int, selector *classifier.FastText) *[2]float64 {
	var taken, best [2]float64
	for i, ids := range d.IDs {
		style := d.Styles[i]
		without := [][]int64{ids}
		for k := range ids {
			without = append(without, slices.Delete(slices.Clone(ids), k, k+1))
		}
		odds := selector.LogOdds(without)
		if style == 0 {
			for k := range odds {
				odds[k] = -odds[k]
			}
		}
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
	return &taken
}
