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
	tried, err := r.tryWays(ctx, all)
	if err != nil {
		return err
	}
	for _, t := range tried {
		*t.sentence = *r.chosen(t)
	}
	return nil
}

// tries are a sentence with its masks, and what several ways make of it, each output once.
type tries struct {
	sentence *draft
	written  []*draft
}

// tryWays returns what all ways make of sentences, with features.
func (r *Refiller) tryWays(ctx context.Context, all []*draft) ([]*tries, error) {
	of := *r
	if r.Guide != nil {
		of.Guide = &remembering{Guide: r.Guide, known: map[string][]float64{}}
	}
	tried := lists.Map(all, func(s *draft) *tries { return &tries{sentence: s} })
	var news []*draft
	for n, how := range r.How.Ways() {
		way := of
		way.How = how
		if err := way.knowContrasts(ctx, all); err != nil {
			return nil, err
		}
		written := lists.Map(all, (*draft).clone)
		if err := way.writeOneWay(ctx, written); err != nil {
			return nil, err
		}
		for i, s := range written {
			t := tried[i]
			if s.way = n; !slices.ContainsFunc(t.written, func(o *draft) bool { return !o.differs(s) }) {
				t.written = append(t.written, s)
				news = append(news, s)
			}
		}
	}
	return tried, of.knowFeatures(ctx, lists.Where(news, (*draft).isRewritten))
}

// chosen returns what the ranker scores highest, of equals the first.
func (r *Refiller) chosen(t *tries) *draft {
	return t.written[max(0, largest(lists.Map(t.written, r.rankedAs)))]
}

// rankedAs returns the score of a draft by the ranker, or -Inf if nothing is rewritten: that is the
// last choice.
func (r *Refiller) rankedAs(s *draft) float64 {
	if !s.isRewritten() {
		return math.Inf(-1)
	}
	return r.Ranker.Score(s.features)
}

// Choice is one of the outputs that the ranker chooses among.
type Choice struct {
	Output
	Way      int      // the first of How.Ways that writes it
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
	tried, err := r.tryWays(ctx, all)
	if err != nil {
		return nil, err
	}
	return lists.Map(tried, func(t *tries) []Choice {
		written := lists.Where(t.written, (*draft).isRewritten)
		if len(written) == 0 {
			written = t.written
		}
		return lists.Map(written, func(s *draft) Choice { return Choice{s.output(), s.way, s.features} })
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
