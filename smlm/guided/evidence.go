package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// unmask takes masks away from words without evidence of their own, which attention masked beside
// those that carry the style: what is not refilled cannot be refilled badly. The word of the most
// evidence stays masked, of equals the first.
func (r *Refiller) unmask(ctx context.Context, all []*draft) error {
	if r.How.Evidence == 0 {
		return nil
	}
	evidence, err := r.evidence(ctx, all, true)
	if err != nil {
		return err
	}
	for i, s := range all {
		s.keepMasks(evidence[i], r.How.Evidence)
	}
	return nil
}

// keepMasks takes masks away from words below the value least, but for the one of the largest, of
// equals the first.
func (s *draft) keepMasks(values []float64, least float64) {
	values = slices.Clone(values)
	for k, on := range s.masks {
		if !on {
			values[k] = math.Inf(-1)
		}
	}
	most := largest(values)
	for k, on := range s.masks {
		s.masks[k] = on && (k == most || values[k] >= least-rounding)
	}
}

// evidence returns by how much the guide's log p(own) - log p(asked) of each draft falls
// where a word is hidden, of the words that are masked or of those that are not; -Inf of others.
func (r *Refiller) evidence(ctx context.Context, all []*draft, masked bool) ([][]float64, error) {
	_, falls, err := r.falls(ctx, all, func(s *draft, k int) bool {
		return s.masks[k] == masked && (masked || r.maskable(s, k))
	}, corpus.UnkID)
	return falls, err
}

// odds returns log p(own) - log p(asked), given the guide's log p by style.
func (s *draft) odds(logs []float64) float64 {
	return logs[s.style] - logs[s.asked]
}

// falls returns the guide's log p(own) - log p(asked) of each draft, and by how much it falls
// where other words, or none, stand in a place: of the places that are wanted, -Inf of others.
func (r *Refiller) falls(
	ctx context.Context, all []*draft, wanted func(*draft, int) bool, by ...int64,
) (odds []float64, falls [][]float64, err error) {
	p := r.probes(8 * len(all))
	for _, s := range all {
		p.add(s, asIs)
		for k := range s.words {
			if wanted(s, k) {
				p.add(s, k, by...)
			}
		}
	}
	if len(p.ids) == 0 {
		return nil, nil, nil
	}
	logs, err := p.Guide.LogProbs(ctx, p.ids)
	if err != nil {
		return nil, nil, err
	}
	next := func(s *draft) float64 {
		l := logs[0]
		logs = logs[1:]
		return s.odds(l)
	}
	odds, falls = make([]float64, len(all)), make([][]float64, len(all))
	for i, s := range all {
		odds[i] = next(s)
		for k := range s.words {
			fall := math.Inf(-1)
			if wanted(s, k) {
				fall = odds[i] - next(s)
			}
			falls[i] = append(falls[i], fall)
		}
	}
	return odds, falls, nil
}
