package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// mostEdits limits the edits of a sentence. Few sentences take more than three.
const mostEdits = 12

// rated is how many outputs of a sentence the rater chooses from.
const rated = 8

// searched is a sentence with the drafts that the guide judged.
type searched struct {
	now    *draft
	others []*draft // trials and earlier drafts, in the order they were added
}

// search returns the best outputs of each source, best first. The number of outputs per source is
// from 1 to most. The sources are unchanged drafts.
func (w *Writer) search(ctx context.Context, sources []*draft, most int) ([][]Output, error) {
	for _, s := range sources {
		w.weigh(s)
	}
	if err := w.judge(ctx, sources); err != nil {
		return nil, err
	}
	sentences := lists.Map(sources, func(s *draft) *searched { return &searched{now: s} })
	open := sentences
	for round := 0; round < mostEdits && len(open) > 0; round++ {
		var err error
		if open, err = w.edit(ctx, open); err != nil {
			return nil, err
		}
	}
	return w.choose(ctx, sentences, most)
}

// edit makes the best edit of each sentence, and returns the sentences that it improved.
func (w *Writer) edit(ctx context.Context, open []*searched) (better []*searched, err error) {
	fills, err := w.fills(ctx, lists.Map(open, func(s *searched) *draft { return s.now }))
	if err != nil {
		return nil, err
	}
	tried := make([][]*draft, len(open))
	machine.Parallel(len(open), func(i int) { tried[i] = w.trials(open[i].now, fills[i]) })
	if err := w.judge(ctx, slices.Concat(tried...)); err != nil {
		return nil, err
	}
	for i, s := range open {
		s.others = append(s.others, tried[i]...)
		best := largest(lists.Map(tried[i], func(d *draft) float64 { return d.worth }))
		if best >= 0 && tried[i][best].worth > s.now.worth+rounding {
			s.others, s.now = append(s.others, s.now), tried[i][best]
			better = append(better, s)
		}
	}
	return better, nil
}

// choose returns the best outputs of each sentence by worth or, with a rater, by worth plus rating.
func (w *Writer) choose(ctx context.Context, sentences []*searched, most int) ([][]Output, error) {
	if w.Rater == nil {
		return lists.Map(sentences, func(s *searched) []Output { return lists.Map(s.best(most), (*draft).output) }), nil
	}
	found := lists.Map(sentences, func(s *searched) []*draft {
		all := s.best(max(most, rated))
		if changed := lists.Where(all, (*draft).isChanged); len(changed) > 0 {
			return changed
		}
		return all // the search found nothing else
	})
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
		best := byValue(all[:min(len(all), rated)], score, 1)[0] // the same for any number of outputs
		others := lists.Where(all, func(s *draft) bool { return s != best })
		return lists.Map(append([]*draft{best}, byValue(others, score, most-1)...), (*draft).output)
	}), nil
}

// best returns the different outputs of highest worth, best first, limited to the number most. Of
// equally good drafts the latest comes first.
func (s *searched) best(most int) []*draft {
	var outputs []*draft
	for _, d := range slices.Backward(append(s.others, s.now)) {
		if !d.isAmong(outputs) {
			outputs = append(outputs, d)
		}
	}
	return byValue(outputs, func(d *draft) float64 { return d.worth }, most)
}

// byValue returns the drafts of largest value, largest first, limited to the number most. Equal
// ones keep their order.
func byValue(all []*draft, value func(*draft) float64, most int) (best []*draft) {
	for k := range descending(lists.Map(all, value)) {
		if len(best) == most {
			break
		}
		best = append(best, all[k])
	}
	return best
}
