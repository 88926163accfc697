package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// contrasts returns, for the places of each draft that are wanted, log q(w | own style) - log q(w |
// asked) of the source's word w there, which alone is masked; -Inf of others.
func (r *Refiller) contrasts(ctx context.Context, all []*draft, wanted func(*draft, int) bool) ([][]float64, error) {
	var d corpus.Encoded
	for _, s := range all {
		for k := range s.words {
			if !wanted(s, k) {
				continue
			}
			for _, style := range []int{s.style, s.asked} {
				r.addAlone(&d, s, k, style)
			}
		}
	}
	logs, err := r.Likelihood.LogQ(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(all))
	for i, s := range all {
		for k := range s.words {
			c := math.Inf(-1)
			if wanted(s, k) {
				c = logs[0][0] - logs[1][0]
				logs = logs[2:]
			}
			out[i] = append(out[i], c)
		}
	}
	return out, nil
}

// addAlone asks for log q of the source's word in place k when a style is asked for, all other
// words being as they stand.
func (r *Refiller) addAlone(d *corpus.Encoded, s *draft, k, style int) {
	var ids []int64
	var masks []bool
	for i, c := range s.words {
		if i == k {
			ids, masks = append(ids, s.source[k]), append(masks, true)
			for n := 1; n < r.Slots; n++ {
				ids, masks = append(ids, Empty), append(masks, true)
			}
			continue
		}
		for _, w := range c[:c.count()] {
			ids, masks = append(ids, w.ID), append(masks, false)
		}
	}
	d.IDs, d.Masks = append(d.IDs, ids), append(d.Masks, masks)
	d.Styles, d.Asked = append(d.Styles, s.style), append(d.Asked, style)
}

// contrastsOfSources returns those of all words of drafts that are their sources still.
func (r *Refiller) contrastsOfSources(ctx context.Context, all []*draft) ([][]float64, error) {
	if r.ofSources != nil {
		return lists.Map(all, func(s *draft) []float64 { return slices.Clone(r.ofSources[&s.source[0]]) }), nil
	}
	return r.contrasts(ctx, all, func(s *draft, k int) bool { return s.masks[k] || r.How.MaskContrast > 0 })
}

// maskByContrast leaves masks on words of contrast, and puts others on words of more.
func (r *Refiller) maskByContrast(ctx context.Context, all []*draft) error {
	if r.How.Contrast == 0 && r.How.MaskContrast == 0 {
		return nil
	}
	contrasts, err := r.contrastsOfSources(ctx, all)
	if err != nil {
		return err
	}
	for i, s := range all {
		if r.How.Contrast > 0 {
			masked := make([]float64, len(s.masks))
			for k, on := range s.masks {
				masked[k] = math.Inf(-1)
				if on {
					masked[k] = contrasts[i][k]
				}
			}
			most := largest(masked)
			for k, on := range s.masks {
				s.masks[k] = on && (k == most || masked[k] >= r.How.Contrast-rounding)
			}
		}
		if r.How.MaskContrast > 0 {
			for k := range contrasts[i] {
				if s.attentionMasks[k] || !r.maskable(s, k) {
					contrasts[i][k] = math.Inf(-1)
				}
			}
			s.maskMost(contrasts[i], r.How.MaskContrast)
		}
	}
	return nil
}
