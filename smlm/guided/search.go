package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// rated is how many outputs of a sentence the rater chooses among.
const rated = 8

// search returns the best outputs of drafts, which are sources: at least one, at most so many.
func (w *Writer) search(ctx context.Context, sources []*draft, most int) ([][]Output, error) {
	for _, s := range sources {
		w.weigh(s)
	}
	if err := w.judge(ctx, sources); err != nil {
		return nil, err
	}
	if err := w.unmask(ctx, sources); err != nil {
		return nil, err
	}
	found := make([][]*draft, len(sources)) // the drafts that the guide was asked about, the best last
	open := make([]int, len(sources))
	for i, s := range sources {
		found[i], open[i] = []*draft{s}, i
	}
	for range w.How.Edits {
		var err error
		if open, err = w.edit(ctx, found, open); err != nil {
			return nil, err
		}
		if len(open) == 0 {
			break
		}
	}
	return w.choose(ctx, found, most)
}

// edit makes the best edit of each open draft, and returns those that it made better.
func (w *Writer) edit(ctx context.Context, found [][]*draft, open []int) (better []int, err error) {
	now := lists.Map(open, func(i int) *draft { return found[i][len(found[i])-1] })
	fills, err := w.fills(ctx, now)
	if err != nil {
		return nil, err
	}
	tried := make([][]*draft, len(now))
	machine.Parallel(len(now), func(k int) { tried[k] = w.trials(now[k], fills[k]) })
	if err := w.judge(ctx, slices.Concat(tried...)); err != nil {
		return nil, err
	}
	for k, i := range open {
		best := largest(lists.Map(tried[k], func(d *draft) float64 { return d.worth }))
		found[i] = slices.Insert(found[i], len(found[i])-1, tried[k]...)
		if best >= 0 && tried[k][best].worth > now[k].worth+rounding {
			found[i] = append(found[i], tried[k][best])
			better = append(better, i)
		}
	}
	return better, nil
}

// choose returns the best outputs of each sentence, by worth or, with a rater, by worth and rating.
func (w *Writer) choose(ctx context.Context, found [][]*draft, most int) ([][]Output, error) {
	for i, all := range found {
		n := most
		if w.Rater != nil {
			n = max(most, rated)
		}
		found[i] = distinct(all, n)
	}
	if w.Rater == nil {
		return lists.Map(found, func(all []*draft) []Output { return lists.Map(all, (*draft).output) }), nil
	}
	for i, all := range found { // an unchanged sentence is written only if nothing else was found
		if changed := lists.Where(all, (*draft).isChanged); len(changed) > 0 {
			found[i] = changed
		}
	}
	all := slices.Concat(found...)
	ratings, err := w.Rater.Rate(ctx, lists.Map(all, (*draft).rewrite))
	if err != nil {
		return nil, err
	}
	for k, s := range all {
		s.rating = ratings[k]
	}
	return lists.Map(found, func(all []*draft) []Output {
		score := func(s *draft) float64 { return s.worth + s.rating }
		best := byValue(all[:min(len(all), rated)], score, 1)[0] // however many outputs are wanted
		others := lists.Where(all, func(s *draft) bool { return s != best })
		return lists.Map(append([]*draft{best}, byValue(others, score, most-1)...), (*draft).output)
	}), nil
}

// distinct returns the best drafts by worth, each output once: at most so many. The last draft
// comes first.
func distinct(all []*draft, most int) (best []*draft) {
	var outputs []*draft
	for _, s := range slices.Backward(all) {
		ids := s.ids()
		if !slices.ContainsFunc(outputs, func(o *draft) bool { return slices.Equal(o.ids(), ids) }) {
			outputs = append(outputs, s)
		}
	}
	return byValue(outputs, func(s *draft) float64 { return s.worth }, most)
}

// byValue returns the drafts with the largest values, the first of equal ones first: at most so
// many.
func byValue(all []*draft, value func(*draft) float64, most int) (best []*draft) {
	for all = slices.Clone(all); len(all) > 0 && len(best) < most; {
		k := top(lists.Map(all, value))
		best = append(best, all[k])
		all = slices.Delete(all, k, k+1)
	}
	return best
}
