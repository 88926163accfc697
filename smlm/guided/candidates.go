package guided

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// refill fills all masks of drafts anew, takes the best of several candidates, and asks the guide
// about it. With a weight the guide is asked about every candidate.
func (r *Refiller) refill(ctx context.Context, all []*draft) error {
	of, err := r.candidates(ctx, all)
	if err != nil {
		return err
	}
	if r.How.GuideWeight > 0 {
		if err := r.judge(ctx, slices.Concat(of...)); err != nil {
			return err
		}
	}
	for i, s := range all {
		*s = *r.best(of[i])
	}
	if r.How.GuideWeight > 0 {
		return nil
	}
	return r.judge(ctx, all)
}

// candidates returns the candidates of every draft, at least one each.
func (r *Refiller) candidates(ctx context.Context, all []*draft) ([][]*draft, error) {
	if r.Searcher != nil {
		return r.searched(ctx, all)
	}
	return r.filled(ctx, all)
}

// filled returns the candidates of every draft: the likeliest filling, and others that are drawn.
func (r *Refiller) filled(ctx context.Context, all []*draft) ([][]*draft, error) {
	of := make([][]*draft, len(all))
	var fillings []filling
	for i, s := range all {
		for c := range max(1, r.How.Candidates) {
			f := filling{draft: s.clone(), open: slices.Clone(s.masks)}
			if c > 0 {
				f.draws = r.draws(s, c)
			}
			fillings, of[i] = append(fillings, f), append(of[i], f.draft)
		}
	}
	return of, r.fill(ctx, fillings)
}

// searched returns the candidates of every draft: what a search found.
func (r *Refiller) searched(ctx context.Context, all []*draft) ([][]*draft, error) {
	var d corpus.Encoded
	for _, s := range all {
		s.addTo(&d, s.source, s.masks)
	}
	found, err := r.Searcher.Search(ctx, d)
	if err != nil {
		return nil, err
	}
	of := make([][]*draft, len(all))
	for i, s := range all {
		for _, f := range found[i] {
			c := s.clone()
			c.searchLogQ = f.LogQ
			for k, on := range c.masks {
				if on {
					c.write(k, Fill{ID: f.IDs[k], Asked: f.Asked[k]})
				}
			}
			of[i] = append(of[i], c)
		}
	}
	return of, nil
}

// best returns the candidate of the largest
//
//	log q + guide_weight log p_guide + fluency log p_ngram
//
// the first of equals.
func (r *Refiller) best(candidates []*draft) *draft {
	scores := make([]float64, len(candidates))
	for i, c := range candidates {
		scores[i] = c.logQ()
		if r.How.GuideWeight > 0 {
			scores[i] += r.How.GuideWeight * math.Log(c.sure)
		}
		if r.How.Fluency > 0 {
			scores[i] += r.How.Fluency * r.Fluency.LogProb(c.ids(asIs))
		}
	}
	return candidates[top(scores)] // the first where the guide takes all for impossible
}

// draws are the random numbers that a candidate is drawn by.
type draws struct{ seed, stream uint64 }

// draws returns those of a candidate. They depend on the sentence, its masks and its style alone,
// so that its place among others changes nothing.
func (r *Refiller) draws(s *draft, candidate int) *draws {
	h := fnv.New64a()
	for k, id := range s.source {
		if s.masks[k] {
			id = -1 - id
		}
		_ = binary.Write(h, binary.LittleEndian, id) // a hash takes everything
	}
	return &draws{seed: r.Seed, stream: h.Sum64() + uint64(2*candidate+s.style)}
}

// exponential returns the number of a word at place k, from the exponential distribution of mean 1.
// It is the same however many words are likelier.
func (d *draws) exponential(k int, id int64) float64 {
	var pcg rand.PCG
	pcg.Seed(d.seed+uint64(k), d.stream^uint64(id)*0x9e3779b97f4a7c15) // neighbouring ids far apart
	return -math.Log((float64(pcg.Uint64()>>11) + .5) / (1 << 53))
}
