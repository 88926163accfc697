package guided

import (
	"context"
	"math"
)

// leastGone is by how much the guide's log p(against) - log p(asked) falls at least where a word
// is deleted.
const leastGone = 1.5

// shorten deletes one word of each draft that has one without which the guide finds it less in its
// own style: of these the one of the largest sum of that fall and of how much better the other
// words go together.
func (r *Refiller) shorten(ctx context.Context, all []*draft) error {
	if !r.How.Shorten {
		return nil
	}
	_, falls, err := r.falls(ctx, all, func(s *draft, k int) bool { return len(s.words) > 1 && r.maskable(s, k) })
	if err != nil {
		return err
	}
	for i, s := range all {
		worth, fit := falls[i], r.fit(s.source)
		for k, fall := range worth {
			if fall < leastGone-rounding {
				worth[k] = math.Inf(-1)
				continue
			}
			worth[k] += r.How.LengthFit * (r.fit(s.ids(k)) - fit)
		}
		if k := largest(worth); k >= 0 {
			s.masks[k], s.gone = true, k+1
			s.write(k, Fill{ID: Empty})
		}
	}
	return nil
}
