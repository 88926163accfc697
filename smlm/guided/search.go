package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// maxEdits limits the edits of a sentence. Few sentences need more than three.
const maxEdits = 12

// ratedOutputs is how many outputs of a sentence the rater chooses from.
const ratedOutputs = 8

// sentenceSearch is the state of the search for a sentence: its best draft so far (current), and
// the other drafts that were tried (judged).
type sentenceSearch struct {
	current *draft
	judged  []*draft // trials and earlier drafts, in the order they were added
}

// search returns the best outputs of each source, best first: at least one, at most limit. The
// sources are unchanged drafts.
func (w *Writer) search(ctx context.Context, sources []*draft, limit int) ([][]Output, error) {
	for _, s := range sources {
		w.weigh(s)
	}
	if err := w.judge(ctx, sources); err != nil {
		return nil, err
	}
	sentences := lists.Map(sources, func(s *draft) *sentenceSearch { return &sentenceSearch{current: s} })
	open := sentences
	for round := 0; round < maxEdits && len(open) > 0; round++ {
		var err error
		if open, err = w.edit(ctx, open); err != nil {
			return nil, err
		}
	}
	return w.choose(ctx, sentences, limit)
}

// edit finds the best edit of each sentence, and makes the edit if it raises the worth of the
// sentence. It returns the sentences that it edited.
func (w *Writer) edit(ctx context.Context, open []*sentenceSearch) (better []*sentenceSearch, err error) {
	fills, err := w.fills(ctx, lists.Map(open, func(s *sentenceSearch) *draft { return s.current }))
	if err != nil {
		return nil, err
	}
	tried := make([][]*draft, len(open))
	machine.Parallel(len(open), func(i int) { tried[i] = w.trials(open[i].current, fills[i]) })
	if err := w.judge(ctx, slices.Concat(tried...)); err != nil {
		return nil, err
	}
	for i, s := range open {
		s.judged = append(s.judged, tried[i]...)
		best := largest(lists.Map(tried[i], func(d *draft) float64 { return d.worth }))
		if best >= 0 && tried[i][best].worth > s.current.worth+rounding {
			s.judged, s.current = append(s.judged, s.current), tried[i][best]
			better = append(better, s)
		}
	}
	return better, nil
}

// choose returns the best outputs of each sentence, by worth or, if there is a rater, by worth plus
// rating.
func (w *Writer) choose(ctx context.Context, sentences []*sentenceSearch, limit int) ([][]Output, error) {
	if w.Rater == nil {
		return lists.Map(sentences, func(s *sentenceSearch) []Output {
			return lists.Map(s.best(limit), (*draft).output)
		}), nil
	}
	found := lists.Map(sentences, func(s *sentenceSearch) []*draft {
		all := s.best(max(limit, ratedOutputs))
		if changed := lists.Filter(all, (*draft).isChanged); len(changed) > 0 {
			return changed
		}
		return all // the search found only the unchanged sentence
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
		best := byValue(all[:min(len(all), ratedOutputs)], score, 1)[0] // limit does not affect this choice
		others := lists.Filter(all, func(s *draft) bool { return s != best })
		return lists.Map(append([]*draft{best}, byValue(others, score, limit-1)...), (*draft).output)
	}), nil
}

// The method best returns at most limit different outputs, sorted by worth, highest first. Of
// drafts with equal worth, the one that was made last comes first.
func (s *sentenceSearch) best(limit int) []*draft {
	var outputs []*draft
	for _, d := range slices.Backward(append(s.judged, s.current)) {
		if !d.isAmong(outputs) {
			outputs = append(outputs, d)
		}
	}
	return byValue(outputs, func(d *draft) float64 { return d.worth }, limit)
}

// byValue sorts drafts by value, largest first, and returns at most the given number of them.
// Drafts with equal values keep their order.
func byValue(all []*draft, value func(*draft) float64, limit int) (best []*draft) {
	for k := range descending(lists.Map(all, value)) {
		if len(best) == limit {
			break
		}
		best = append(best, all[k])
	}
	return best
}
