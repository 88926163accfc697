package guided

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// rank writes drafts in every way and keeps of each sentence's outputs what the ranker scores
// highest, of equals the first.
func (r *Refiller) rank(ctx context.Context, all []*draft) error {
	written, err := r.ways(ctx, all)
	if err != nil {
		return err
	}
	for i, s := range all {
		*s = *written[i][max(0, largest(lists.Map(written[i], r.rankedAs)))]
	}
	return nil
}

// ways returns what every way makes of the drafts, each output once, with features.
func (r *Refiller) ways(ctx context.Context, all []*draft) ([][]*draft, error) {
	of := *r
	if r.Guide != nil {
		of.Guide = &remembering{Guide: r.Guide, known: map[string][]float64{}}
	}
	out := make([][]*draft, len(all))
	var news []*draft
	add := func(i int, s *draft, way int) {
		if s.way = way; !slices.ContainsFunc(out[i], func(o *draft) bool { return !o.differs(s) }) {
			out[i], news = append(out[i], s), append(news, s)
		}
	}
	copies, negated, err := of.negated(ctx, all)
	if err != nil {
		return nil, err
	}
	sources := append(slices.Clone(all), copies...)
	for n, how := range r.How.Ways() {
		way, from := of, sources
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
	news = lists.Where(news, (*draft).isRewritten)
	if err := of.knowFeatures(ctx, news); err != nil || !r.How.Rated {
		return out, err
	}
	rated, err := r.Rater.Rate(ctx, lists.Map(news, (*draft).rewrite))
	for i := range rated {
		news[i].rated = rated[i]
	}
	return out, err
}

func (s *draft) rewrite() Rewrite {
	ids := s.ids(asIs)
	return Rewrite{Source: s.source, Output: ids, Places: s.changed().place, Asked: s.asked}
}

// rankedAs returns the score of a draft by the ranker, and by the rater if there is one, or -Inf if
// nothing is rewritten: that is the last choice.
func (r *Refiller) rankedAs(s *draft) float64 {
	if !s.isRewritten() {
		return math.Inf(-1)
	}
	uneven := slices.ContainsFunc(s.words, func(c cell) bool { return c.count() != 1 })
	return r.Ranker.For(uneven).Score(s.features) + s.rated
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
	written, err := r.ways(ctx, all)
	if err != nil {
		return nil, err
	}
	return lists.Map(written, func(of []*draft) []Choice {
		if rewritten := lists.Where(of, (*draft).isRewritten); len(rewritten) > 0 {
			of = rewritten
		}
		return lists.Map(of, func(s *draft) Choice { return Choice{s.output(), s.way, s.features} })
	}), nil
}

// remembering is a guide that is asked about a sentence once: several ways ask about the same.
type remembering struct {
	Guide
	known map[string][]float64
}

// LogProbs is Guide's.
func (m *remembering) LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error) {
	keys := make([]string, len(ids))
	var news [][]int64
	var newKeys []string
	var key []byte
	for i, sentence := range ids {
		key = key[:0]
		for _, id := range sentence {
			key = binary.AppendVarint(key, id)
		}
		keys[i] = string(key)
		if _, known := m.known[keys[i]]; known {
			continue
		}
		m.known[keys[i]] = nil
		news, newKeys = append(news, sentence), append(newKeys, keys[i])
	}
	if len(news) > 0 {
		logs, err := m.Guide.LogProbs(ctx, news)
		if err != nil {
			return nil, err
		}
		for i, key := range newKeys {
			m.known[key] = logs[i]
		}
	}
	return lists.Map(keys, func(key string) []float64 { return m.known[key] }), nil
}
