package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// rank writes drafts in every way and keeps of each sentence's outputs what the ranker, and the
// rater if there is one, score highest, of equals the first.
func (r *Refiller) rank(ctx context.Context, all []*draft) error {
	of := r.remembering()
	written, err := of.ways(ctx, all)
	if err != nil {
		return err
	}
	if err := of.knowScores(ctx, written); err != nil {
		return err
	}
	for i, s := range all {
		*s = *written[i][top(lists.Map(written[i], r.rankedAs))]
	}
	return nil
}

// ways returns what every way makes of the drafts, each output once.
func (r *Refiller) ways(ctx context.Context, all []*draft) ([][]*draft, error) {
	out := make([][]*draft, len(all))
	add := func(i int, s *draft, way int) {
		if s.way = way; !slices.ContainsFunc(out[i], func(o *draft) bool { return !o.differs(s) }) {
			out[i] = append(out[i], s)
		}
	}
	copies, negated, err := r.negated(ctx, all)
	if err != nil {
		return nil, err
	}
	sources := slices.Concat(all, copies)
	for n, how := range r.How.Ways() {
		way, from := *r, sources
		if way.How = how; how.Evidence == 0 {
			from = all // other ways change too much beside
		}
		if err := way.knowContrasts(ctx, from); err != nil {
			return nil, err
		}
		written := lists.Map(from, (*draft).clone)
		if err := way.writeOneWay(ctx, written); err != nil {
			return nil, err
		}
		for i, s := range written[:len(all)] {
			add(i, s, n)
		}
		for k, s := range written[len(all):] {
			add(negated[k], s, n)
		}
	}
	for k, s := range copies {
		add(negated[k], s, len(r.How.Ways()))
	}
	return out, nil
}

// knowScores lets those outputs of each sentence that can be first know what they are ranked by. No
// output scores above what the rater gives it, since the ranker adds the log of a probability. So
// once the output that the rater likes best has its score, others that the rater gives less need no
// features.
func (r *Refiller) knowScores(ctx context.Context, written [][]*draft) error {
	of := lists.Map(written, func(all []*draft) []*draft { return lists.Where(all, (*draft).isRewritten) })
	rewritten := slices.Concat(of...)
	if !r.How.Rated {
		return r.knowFeatures(ctx, rewritten)
	}
	rated, err := r.Rater.Rate(ctx, lists.Map(rewritten, (*draft).rewrite))
	if err != nil {
		return err
	}
	for i, s := range rewritten {
		s.rated = rated[i]
	}
	of = lists.Where(of, func(all []*draft) bool { return len(all) > 0 })
	best := lists.Map(of, func(all []*draft) *draft {
		return all[top(lists.Map(all, func(s *draft) float64 { return s.rated }))]
	})
	if err := r.knowFeatures(ctx, best); err != nil {
		return err
	}
	var others []*draft
	for i, all := range of {
		for _, s := range all {
			if s != best[i] && s.rated >= r.rankedAs(best[i])-rounding {
				others = append(others, s)
			}
		}
	}
	return r.knowFeatures(ctx, others)
}

func (s *draft) rewrite() Rewrite {
	ids := s.ids(asIs)
	return Rewrite{Source: s.source, Output: ids, Places: s.changed().place, Asked: s.asked}
}

// rankedAs returns the score of a draft by the ranker, and by the rater if there is one. It is -Inf
// if the features are not known: nothing is rewritten, or another draft is better.
func (r *Refiller) rankedAs(s *draft) float64 {
	if !s.featured {
		return math.Inf(-1)
	}
	return r.Ranker.For(s.isUneven()).Score(s.features) + s.rated
}

// isUneven tells whether a word of the source has become none or several.
func (s *draft) isUneven() bool {
	return slices.ContainsFunc(s.words, func(c cell) bool { return c.count() != 1 })
}

// Choice is one of the outputs that the ranker chooses among.
type Choice struct {
	Output
	Way      int      // the first of How.Ways that writes it; their number if it is the source with phrases negated
	Features Features // all 0 of a sentence that no way rewrites
}

// Choices returns, for every sentence, the outputs of which Transfer keeps one where How.Ranked is
// on: what a ranker is fitted on. A sentence that no way rewrites has its source alone; others do
// not have it.
func (r *Refiller) Choices(ctx context.Context, d corpus.Encoded) ([][]Choice, error) {
	all := make([]*draft, len(d.IDs))
	for i := range all {
		all[i] = newDraft(d, i)
	}
	of := r.remembering()
	written, err := of.ways(ctx, all)
	if err != nil {
		return nil, err
	}
	if err := of.knowFeatures(ctx, lists.Where(slices.Concat(written...), (*draft).isRewritten)); err != nil {
		return nil, err
	}
	return lists.Map(written, func(of []*draft) []Choice {
		if rewritten := lists.Where(of, (*draft).isRewritten); len(rewritten) > 0 {
			of = rewritten
		}
		return lists.Map(of, func(s *draft) Choice { return Choice{s.output(), s.way, s.features} })
	}), nil
}
