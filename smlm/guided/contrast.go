package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// apart is how far apart words are that are masked together when a model is asked about them: so a
// sentence is asked about in so many forms however long it is, and two neighbours on either side
// are always there.
const apart = 3

// contrasts returns, for the places of each draft that are wanted, log q(w | own style) - log q(w |
// asked) of the source's word w there, where it and other wanted ones apart places away are masked;
// -Inf of others.
func (r *Refiller) contrasts(
	ctx context.Context, all []*draft, wanted func(*draft, int) bool,
) ([][]float64, error) {
	var d corpus.Encoded
	out := make([][]float64, len(all))
	var asked []draftWord // one a word
	for i, s := range all {
		out[i] = slices.Repeat([]float64{math.Inf(-1)}, len(s.words))
		for first := range apart {
			var some []int
			for k := first; k < len(s.words); k += apart {
				if wanted(s, k) {
					some, asked = append(some, k), append(asked, draftWord{s, k})
				}
			}
			if len(some) > 0 {
				r.addSource(&d, s, some, s.style)
				r.addSource(&d, s, some, s.asked)
			}
		}
	}
	logs, err := r.Likelihood.LogQ(ctx, d)
	if err != nil {
		return nil, err
	}
	each := max(1, r.Slots)
	for i, s := range all {
		for len(asked) > 0 && asked[0].draft == s {
			own, other := logs[0], logs[1]
			for n := 0; n < len(own); n += each {
				out[i][asked[0].k] = own[n] - other[n]
				asked = asked[1:]
			}
			logs = logs[2:]
		}
	}
	return out, nil
}

// addSource asks for log q of the source's words in some places when a style is asked for, all
// other words being as they stand.
func (r *Refiller) addSource(d *corpus.Encoded, s *draft, places []int, style int) {
	var ids []int64
	var masks []bool
	for i, c := range s.words {
		if slices.Contains(places, i) {
			ids, masks = append(ids, s.source[i]), append(masks, true)
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

// contrastsOfSources returns the contrasts of drafts in which nothing was written yet.
func (r *Refiller) contrastsOfSources(ctx context.Context, all []*draft) ([][]float64, error) {
	known := func(s *draft) bool { return s.contrasts != nil && s.gone == 0 }
	out, err := r.contrasts(ctx, all, func(s *draft, k int) bool { return !known(s) && k != s.gone-1 })
	if err != nil {
		return nil, err
	}
	for i, s := range all {
		if known(s) {
			copy(out[i], s.contrasts)
		}
	}
	return out, nil
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
			s.keepMasks(contrasts[i], r.How.Contrast)
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

// writeLeft writes drafts once more in which words are left that have contrast beside what was
// written: a word that goes with its neighbours in the source may not go with what these became.
func (r *Refiller) writeLeft(ctx context.Context, all []*draft) error {
	if r.How.MaskContrast == 0 {
		return nil
	}
	contrasts, err := r.contrasts(ctx, all, func(s *draft, k int) bool { return !s.masks[k] && r.maskable(s, k) })
	if err != nil {
		return err
	}
	var again []*draft
	for i, s := range all {
		masks := slices.Clone(s.masks)
		s.maskMost(contrasts[i], r.How.MaskContrast)
		if !slices.Equal(masks, s.masks) {
			again = append(again, s)
		}
	}
	if len(again) == 0 {
		return nil
	}
	return r.writeOnce(ctx, again)
}
