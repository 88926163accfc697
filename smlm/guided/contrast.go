package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// apart is how far apart words are that are masked together when a model is asked about them: so a
// sentence is asked about in so many forms however long it is, and two neighbours on either side
// are always there.
const apart = 3

// form is a sentence as a model is asked about it: with masks on words of the source in some
// places.
type form struct {
	*draft
	places []int
}

// forms returns those in which each of the places that are wanted is masked once, with other wanted
// ones that are apart places away.
func (s *draft) forms(wanted func(*draft, int) bool) (out []form) {
	for first := range apart {
		var places []int
		for k := first; k < len(s.words); k += apart {
			if wanted(s, k) {
				places = append(places, k)
			}
		}
		if len(places) > 0 {
			out = append(out, form{s, places})
		}
	}
	return out
}

// askForms returns, for the places of each form, log q(w | own) - log q(w | asked) of the
// source's word w there.
func (r *Refiller) askForms(ctx context.Context, forms []form) ([][]float64, error) {
	if len(forms) == 0 {
		return nil, nil
	}
	var d corpus.Encoded
	for _, f := range forms {
		r.addSource(&d, f.draft, f.places, f.style)
		r.addSource(&d, f.draft, f.places, f.asked)
	}
	logs, err := r.Likelihood.LogQ(ctx, d)
	if err != nil {
		return nil, err
	}
	out, each := make([][]float64, len(forms)), max(1, r.Slots)
	for i, f := range forms {
		own, asked := logs[2*i], logs[2*i+1]
		for k := range f.places {
			out[i] = append(out[i], own[k*each]-asked[k*each])
		}
	}
	return out, nil
}

// masksByContrast tells whether masks depend on the contrasts of words.
func (r *Refiller) masksByContrast() bool { return r.How.Contrast > 0 || r.How.MaskContrast > 0 }

// knowContrasts asks for the contrasts of the words of drafts that are still their sources, if
// masks depend on them and they are not known yet.
func (r *Refiller) knowContrasts(ctx context.Context, all []*draft) error {
	if !r.masksByContrast() {
		return nil
	}
	all = lists.Where(all, func(s *draft) bool { return s.contrasts == nil })
	contrasts, err := r.contrasts(ctx, all, func(s *draft, k int) bool { return !s.isNegated(k) })
	if err != nil {
		return err
	}
	for i, s := range all {
		s.contrasts = contrasts[i]
	}
	return nil
}

// contrasts returns those of the places of each draft that are wanted, -Inf of others.
func (r *Refiller) contrasts(
	ctx context.Context, all []*draft, wanted func(*draft, int) bool,
) ([][]float64, error) {
	var forms []form
	of := map[*draft][]float64{}
	for _, s := range all {
		of[s] = slices.Repeat([]float64{math.Inf(-1)}, len(s.words))
		forms = append(forms, s.forms(wanted)...)
	}
	found, err := r.askForms(ctx, forms)
	if err != nil {
		return nil, err
	}
	for i, f := range forms {
		for n, k := range f.places {
			of[f.draft][k] = found[i][n]
		}
	}
	return lists.Map(all, func(s *draft) []float64 { return of[s] }), nil
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

// contrastsNow returns the contrasts of the wanted places of drafts as they stand, -Inf of others.
// A word keeps the contrast that it has in the source unless it or a word beside it has changed.
func (r *Refiller) contrastsNow(
	ctx context.Context, all []*draft, wanted func(*draft, int) bool,
) ([][]float64, error) {
	out, err := r.contrasts(ctx, all, func(s *draft, k int) bool { return wanted(s, k) && s.changedBeside(k) })
	if err != nil {
		return nil, err
	}
	for i, s := range all {
		for k := range s.words {
			if wanted(s, k) && !s.changedBeside(k) {
				out[i][k] = s.contrasts[k]
			}
		}
	}
	return out, nil
}

// changedBeside tells whether a place, or one beside it, does not have the source's word.
func (s *draft) changedBeside(k int) bool {
	for i := max(0, k-1); i <= min(k+1, len(s.words)-1); i++ {
		if !s.isSource(i) {
			return true
		}
	}
	return false
}

// maskByContrast leaves masks on words of contrast, and puts others on words of more.
func (r *Refiller) maskByContrast(ctx context.Context, all []*draft) error {
	if !r.masksByContrast() {
		return nil
	}
	contrasts, err := r.contrastsNow(ctx, all, func(s *draft, k int) bool { return !s.isNegated(k) })
	if err != nil {
		return err
	}
	for i, s := range all {
		if r.How.Contrast > 0 {
			s.keepMasks(contrasts[i], r.How.Contrast)
		}
		for k := range contrasts[i] {
			if s.attentionMasks[k] || !r.maskable(s, k) {
				contrasts[i][k] = math.Inf(-1)
			}
		}
	}
	return r.maskTelling(ctx, all, contrasts)
}

// maskTelling masks the words with the largest contrast, if it is at least mask_contrast. They need
// the evidence that other masked words need: a model that prefers one word everywhere finds a
// contrast in whatever word stands there.
func (r *Refiller) maskTelling(ctx context.Context, all []*draft, contrasts [][]float64) error {
	if r.How.MaskContrast == 0 {
		return nil
	}
	if r.How.Evidence > 0 {
		evidence, err := r.evidence(ctx, all, false)
		if err != nil {
			return err
		}
		for i := range all {
			for k, e := range evidence[i] {
				if e < r.How.Evidence-rounding {
					contrasts[i][k] = math.Inf(-1)
				}
			}
		}
	}
	for i, s := range all {
		s.maskMost(contrasts[i], r.How.MaskContrast)
	}
	return nil
}

// maskMost masks words of the value least or more, those of the most first, up to half of a
// sentence.
func (s *draft) maskMost(values []float64, least float64) {
	for !s.halfMasked() {
		k := largest(values)
		if k < 0 || values[k] < least-rounding {
			return
		}
		s.masks[k], values[k] = true, math.Inf(-1)
	}
}

// writeLeft writes drafts once more in which words are left that have contrast beside what was
// written: a word that goes with its neighbours in the source may not go with what these became.
func (r *Refiller) writeLeft(ctx context.Context, all []*draft) error {
	if r.How.MaskContrast == 0 {
		return nil
	}
	contrasts, err := r.contrastsNow(ctx, all, func(s *draft, k int) bool {
		return !s.halfMasked() && !s.masks[k] && r.maskable(s, k)
	})
	if err != nil {
		return err
	}
	before := lists.Map(all, func(s *draft) []bool { return slices.Clone(s.masks) })
	if err := r.maskTelling(ctx, all, contrasts); err != nil {
		return err
	}
	var again []*draft
	for i, s := range all {
		if !slices.Equal(before[i], s.masks) {
			again = append(again, s)
		}
	}
	if len(again) == 0 {
		return nil
	}
	return r.writeOnce(ctx, again)
}
