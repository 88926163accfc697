package guided

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// refill fills all masks of drafts anew and asks the guide: of several candidates the one of the
// largest log q + weight log p_guide, the first of equals. Without a weight the guide is asked about
// the chosen ones alone.
func (r *Refiller) refill(ctx context.Context, all []*draft) error {
	n := max(1, r.How.Candidates)
	var fillings []filling
	var candidates []*draft
	for _, s := range all {
		for i := range n {
			f := filling{draft: s.clone(), open: slices.Clone(s.masks)}
			if i > 0 {
				f.rng = r.draws(s, i)
			}
			fillings, candidates = append(fillings, f), append(candidates, f.draft)
		}
	}
	if err := r.fill(ctx, fillings); err != nil {
		return err
	}
	if r.How.GuideWeight > 0 {
		if err := r.judge(ctx, candidates); err != nil {
			return err
		}
	}
	for i, s := range all {
		*s = *r.best(candidates[i*n : (i+1)*n])
	}
	if r.How.GuideWeight > 0 {
		return nil
	}
	return r.judge(ctx, all)
}

func (r *Refiller) best(candidates []*draft) *draft {
	best, top := 0, math.Inf(-1)
	for i, c := range candidates {
		score := c.logQ()
		if r.How.GuideWeight > 0 {
			score += r.How.GuideWeight * math.Log(c.sure)
		}
		if r.How.Fluency > 0 {
			score += r.How.Fluency * r.Fluency.LogProb(c.ids(-1, 0))
		}
		if score > top {
			best, top = i, score
		}
	}
	return candidates[best]
}

// draws returns the numbers that a candidate is drawn by: of the sentence and its masks alone, so
// that its place among others changes nothing.
func (r *Refiller) draws(s *draft, candidate int) *rand.Rand {
	h := fnv.New64a()
	for k, id := range s.source {
		if s.masks[k] {
			id = -1 - id
		}
		_ = binary.Write(h, binary.LittleEndian, id) // a hash takes everything
	}
	return rand.New(rand.NewPCG(r.Seed, h.Sum64()+uint64(2*candidate+s.own)))
}
