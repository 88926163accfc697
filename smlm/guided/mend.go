package guided

import (
	"context"
	"fmt"
	"os"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// mend masks words beside changed ones that no longer fit there.
func (r *Refiller) mend(ctx context.Context, all []*draft) error {
	if r.How.Misfit == 0 {
		return nil
	}
	for range r.How.MoreMasks {
		worst, err := r.misfits(ctx, all)
		if err != nil {
			return err
		}
		var mended []*draft
		var fillings []filling
		all = all[:0:0]
		for _, at := range worst {
			c := at.clone()
			c.masks[at.k] = true
			f := filling{draft: c, open: make([]bool, len(c.words))}
			for i := max(0, at.k-1); i <= min(at.k+1, len(c.words)-1); i++ {
				f.open[i] = i == at.k || !c.words[i][0].OfSource()
			}
			fillings, mended, all = append(fillings, f), append(mended, c), append(all, at.draft)
		}
		if len(all) == 0 {
			return nil
		}
		if err := r.fill(ctx, fillings); err != nil {
			return err
		}
		if err := r.judge(ctx, mended); err != nil {
			return err
		}
		n1, err := r.near(ctx, all)
		if err != nil {
			return err
		}
		n2, err := r.near(ctx, mended)
		if err != nil {
			return err
		}
		gained := all[:0]
		for i, s := range all {
			if os.Getenv("SHOW") != "" {
				fmt.Println("MEND", s.source, worst[i].k, worst[i].by, worst[i].now, r.fit(mended[i])-r.fit(s), n2[i]-n1[i], n1[i], r.staysSure(s, mended[i].sure), mended[i].ids(asIs))
			}
			if n2[i] < n1[i]+r.How.Near {
				continue
			}
			if r.staysSure(s, mended[i].sure) && r.fit(mended[i]) > r.fit(s)+rounding {
				*s = *mended[i]
				gained = append(gained, s)
			}
		}
		all = gained
	}
	return nil
}

// fit returns how much better the words of a draft go together than words drawn one by one do, a
// word (SLOR: Pauls and Klein 2012; Lau, Clark and Lappin 2017).
func (r *Refiller) fit(s *draft) float64 {
	const m = corpus.MaskID
	ids := s.ids(asIs)
	sum := r.Fluency.LogProb(ids)
	end := r.Fluency.LogProb([]int64{m, m, m, m, m, m, m, m})
	for _, id := range ids {
		sum -= r.Fluency.LogProb([]int64{m, id, m, m, m, m, m, m}) - end
	}
	return sum / float64(len(ids)+1)
}

// misfits returns, for each draft, the kept word beside a changed one that has become the most
// unlikely.
func (r *Refiller) misfits(ctx context.Context, all []*draft) (out []misfit, err error) {
	var d corpus.Encoded
	var asked []draftWord
	for _, s := range all {
		changed := func(i int) bool { return i >= 0 && i < len(s.words) && !s.words[i][0].OfSource() }
		for k, c := range s.words {
			if !c[0].OfSource() || !changed(k-1) && !changed(k+1) || !r.maskable(s, k) {
				continue
			}
			open := make([]bool, len(s.words))
			open[k] = true
			ids, masks := s.withMasks(open, max(1, r.Slots))
			s.addTo(&d, ids, masks)
			source := newDraft(corpus.Encoded{
				IDs: [][]int64{s.source}, Styles: []int{s.style}, Asked: []int{s.style}, Masks: [][]bool{s.masks},
			}, 0)
			ids, masks = source.withMasks(open, max(1, r.Slots))
			source.addTo(&d, ids, masks)
			asked = append(asked, draftWord{s, k})
		}
	}
	fills, err := r.Filler.Fills(ctx, d, false)
	if err != nil {
		return nil, err
	}
	likely := func(slots [][]Fill, id int64) (q float64) {
		words := ofWords(slots[0])
		if len(words) == 0 {
			return 0
		}
		q = words[len(words)-1].Asked - 1
		for _, f := range words {
			if f.ID == id {
				q = f.Asked
			}
		}
		return q
	}
	for i := 0; i < len(asked); {
		s, best, top := asked[i].draft, -1, r.How.Misfit
		for ; i < len(asked) && asked[i].draft == s; i++ {
			id := s.source[asked[i].k]
			now := likely(fills[2*i], id)
			by := likely(fills[2*i+1], id) - now
			if now > fills[2*i][0][0].Asked+math.Log(r.How.MisfitPlausible) {
				continue
			}
			if by > top+rounding {
				best, top = i, by
			}
		}
		if best >= 0 {
			id := s.source[asked[best].k]
			out = append(out, misfit{asked[best], top, likely(fills[2*best], id)})
		}
	}
	return out, nil
}

type misfit struct {
	draftWord
	by, now float64
}

// near returns the mean log q of changed words and their neighbours.
func (r *Refiller) near(ctx context.Context, all []*draft) ([]float64, error) {
	var d corpus.Encoded
	var at []draftWord
	var of []int
	for i, s := range all {
		changed := func(i int) bool { return i >= 0 && i < len(s.words) && !s.words[i][0].OfSource() }
		for k, c := range s.words {
			if c.count() == 0 || !changed(k) && !changed(k-1) && !changed(k+1) {
				continue
			}
			open := make([]bool, len(s.words))
			open[k] = true
			ids, masks := s.withMasks(open, max(1, r.Slots))
			s.addTo(&d, ids, masks)
			at, of = append(at, draftWord{s, k}), append(of, i)
		}
	}
	fills, err := r.Filler.Fills(ctx, d, false)
	if err != nil {
		return nil, err
	}
	sum, n := make([]float64, len(all)), make([]float64, len(all))
	for i, a := range at {
		words := ofWords(fills[i][0])
		q := words[len(words)-1].Asked - 1
		for _, f := range words {
			if f.ID == a.words[a.k][0].ID {
				q = f.Asked
			}
		}
		sum[of[i]] += q
		n[of[i]]++
	}
	for i := range sum {
		sum[i] /= max(n[i], 1)
	}
	return sum, nil
}
