package guided

import (
	"context"
	"math"
)

// leastGone is by how much the guide's log p(own style) - log p(asked) falls at least where a word
// is deleted.
const leastGone = 1.5

// shorten deletes one word of each draft that has one without which the guide finds it less in its
// own style: of these the one of the largest sum of that fall and of how much better the other
// words go together.
func (r *Refiller) shorten(ctx context.Context, all []*draft) error {
	if !r.How.Shorten {
		return nil
	}
	p := r.probes(8 * len(all))
	for _, s := range all {
		p.add(s, asIs)
		for k := range s.words {
			if len(s.words) > 1 && r.maskable(s, k) {
				p.add(s, k)
			}
		}
	}
	logs, err := p.Guide.LogProbs(ctx, p.ids)
	if err != nil {
		return err
	}
	for _, s := range all {
		odds := func() float64 {
			l := logs[0]
			logs = logs[1:]
			return l[s.style] - l[s.asked]
		}
		whole, fit := odds(), r.fit(s.source)
		worth := make([]float64, len(s.words))
		for k := range s.words {
			worth[k] = math.Inf(-1)
			if len(s.words) == 1 || !r.maskable(s, k) {
				continue
			}
			if fall := whole - odds(); fall >= leastGone-rounding {
				worth[k] = fall + r.How.LengthFit*(r.fit(s.ids(k))-fit)
			}
		}
		if k := largest(worth); k >= 0 {
			s.masks[k], s.gone = true, k+1
			s.write(k, Fill{ID: Empty})
		}
	}
	return nil
}
