package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// maxEdits limits the edits of a sentence. Few sentences need more than three.
const maxEdits = 12

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
	return lists.Map(sentences, func(s *sentenceSearch) []Output {
		return lists.Map(s.best(limit), (*draft).output)
	}), nil
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

// The method best returns at most limit different outputs, sorted by worth, highest first. Of
// drafts with equal worth, the one that was made last comes first.
func (s *sentenceSearch) best(limit int) []*draft {
	var outputs []*draft
	for _, d := range slices.Backward(append(s.judged, s.current)) {
		if !d.isAmong(outputs) {
			outputs = append(outputs, d)
		}
	}
	var best []*draft
	for k := range descending(lists.Map(outputs, func(d *draft) float64 { return d.worth })) {
		if len(best) == limit {
			break
		}
		best = append(best, outputs[k])
	}
	return best
}
