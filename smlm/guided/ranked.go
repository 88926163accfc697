package guided

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// rank writes drafts in every way and keeps of each sentence what the ranker scores highest, of
// equals the first.
func (r *Refiller) rank(ctx context.Context, all []*draft) error {
	choices, features, err := r.choices(ctx, all)
	if err != nil {
		return err
	}
	for i, s := range all {
		scores := lists.Map(features[i], func(f Features) float64 { return r.Ranker.Score(f) })
		*s = *choices[i][max(0, largest(scores))]
	}
	return nil
}

// choices returns what the ranker chooses among, and its features.
func (r *Refiller) choices(ctx context.Context, all []*draft) ([][]*draft, [][]Features, error) {
	of := *r
	if r.Guide != nil {
		of.Guide = &remembering{Guide: r.Guide, known: map[string][]float64{}}
	}
	if err := of.knowContrasts(ctx, all); err != nil {
		return nil, nil, err
	}
	choices, err := of.ways(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	features, err := of.features(ctx, choices)
	return choices, features, err
}

// Choice is one of the outputs that the ranker chooses among.
type Choice struct {
	Output
	Way      int      // the first of How.Ways that writes it
	Features Features // all 0 where there is no other output
}

// Choices returns, for every sentence, the outputs of which Transfer keeps one where How.Ranked is
// on: what a ranker is fitted on.
func (r *Refiller) Choices(ctx context.Context, d corpus.Encoded) ([][]Choice, error) {
	all := make([]*draft, len(d.IDs))
	for i := range all {
		all[i] = newDraft(d, i)
	}
	choices, features, err := r.choices(ctx, all)
	if err != nil {
		return nil, err
	}
	out := make([][]Choice, len(all))
	for i, drafts := range choices {
		for k, s := range drafts {
			out[i] = append(out[i], Choice{Output: s.output(), Way: s.way, Features: features[i][k]})
		}
	}
	return out, nil
}

// ways returns what every way makes of the drafts, each output once. A sentence that no way
// rewrites has its source alone; others do not have it.
func (r *Refiller) ways(ctx context.Context, all []*draft) ([][]*draft, error) {
	of := make([][]*draft, len(all))
	for n, how := range r.How.Ways() {
		way := *r
		way.How = how
		written := lists.Map(all, (*draft).clone)
		if err := way.writeOneWay(ctx, written); err != nil {
			return nil, err
		}
		for i, s := range written {
			if !slices.ContainsFunc(of[i], func(o *draft) bool { return !o.differs(s) }) {
				s.way = n
				of[i] = append(of[i], s)
			}
		}
	}
	for i := range of {
		rewritten := lists.Where(of[i], func(s *draft) bool { return !slices.Equal(s.ids(asIs), s.source) })
		if len(rewritten) > 0 {
			of[i] = rewritten
		}
	}
	return of, nil
}

// noEvidence is the evidence below which a word of the source carries no style (Features).
const noEvidence = .5

// features returns those of every draft. Sentences with one draft have none, as nothing is chosen.
func (r *Refiller) features(ctx context.Context, of [][]*draft) ([][]Features, error) {
	out := make([][]Features, len(of))
	var drafts, sources []*draft // the sources as they were
	var into []*Features
	var sourceOf []int // of sources
	for i, some := range of {
		out[i] = make([]Features, len(some))
		if len(some) < 2 {
			continue
		}
		for k, s := range some {
			drafts, into, sourceOf = append(drafts, s), append(into, &out[i][k]), append(sourceOf, len(sources))
		}
		sources = append(sources, some[0].of(some[0].source))
	}
	every := func(*draft, int) bool { return true }
	_, ofSources, err := r.falls(ctx, sources, every, corpus.UnkID)
	if err != nil {
		return nil, err
	}
	outputs := lists.Map(drafts, func(s *draft) *draft { return s.of(s.ids(asIs)) })
	odds, evidence, err := r.falls(ctx, outputs, every, corpus.UnkID)
	if err != nil {
		return nil, err
	}
	likely, err := r.likelihoods(ctx, drafts, outputs)
	if err != nil {
		return nil, err
	}
	for i, s := range drafts {
		f, ids, n := into[i], outputs[i].source, float64(len(s.source))
		f[Odds], f[Left] = -odds[i], slices.Max(evidence[i])
		for k := range s.words {
			if s.isSource(k) {
				f[Telling] = max(f[Telling], s.contrasts[k])
				continue
			}
			f[Places]++
			if ofSources[sourceOf[i]][k] < noEvidence {
				f[Plain]++
			}
		}
		f[Share] = f[Places] / n
		f[Longer], f[Words] = float64(len(ids))-n, n
		f[Near], f[Least], f[Contrast] = likely[i].near, likely[i].least, likely[i].contrast
		f[NGrams] = r.Fluency.LogProb(ids)/float64(len(ids)+1) - r.Fluency.LogProb(s.source)/(n+1)
	}
	return out, nil
}

// likelihood is what SMLM says of an output where it was changed.
type likelihood struct {
	near, least float64 // mean and least log q(w | asked) of new words and those beside them
	contrast    float64 // mean log q(w | asked) - log q(w | against) of new words; 0 without one
}

// likelihoods returns what SMLM says of outputs, each word masked alone.
func (r *Refiller) likelihoods(ctx context.Context, drafts, outputs []*draft) ([]likelihood, error) {
	var d corpus.Encoded
	changed := lists.Map(drafts, (*draft).changed)
	for i, o := range outputs {
		for k, near := range changed[i].near {
			if near {
				r.addSource(&d, o, []int{k}, o.asked)
			}
		}
		for k, isNew := range changed[i].isNew {
			if isNew {
				for _, style := range r.against(o) {
					r.addSource(&d, o, []int{k}, style)
				}
			}
		}
	}
	logs, err := r.Likelihood.LogQ(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([]likelihood, len(drafts))
	for i := range drafts {
		sum, n, news := 0.0, 0.0, 0.0
		for k, near := range changed[i].near {
			if !near {
				continue
			}
			l := logs[0][0]
			logs = logs[1:]
			sum, n, out[i].least = sum+l, n+1, min(out[i].least, l)
			if changed[i].isNew[k] {
				out[i].contrast, news = out[i].contrast+l, news+1
			}
		}
		for _, on := range changed[i].isNew {
			if on {
				n := len(r.against(outputs[i]))
				out[i].contrast -= LogMean(lists.Map(logs[:n], func(places []float64) float64 { return places[0] }))
				logs = logs[n:]
			}
		}
		out[i].near, out[i].contrast = sum/max(n, 1), out[i].contrast/max(news, 1)
	}
	return out, nil
}

// changed says of the words of an output which are new, and which of them or beside them or beside
// the place of a deleted one.
type changed struct{ isNew, near []bool }

func (s *draft) changed() (c changed) {
	n := len(s.ids(asIs))
	c.isNew, c.near = make([]bool, n), make([]bool, n)
	touch := func(from, to int) {
		for k := max(0, from); k <= min(to, n-1); k++ {
			c.near[k] = true
		}
	}
	at := 0
	for k, words := range s.words {
		count := words.count()
		if !s.isSource(k) {
			for i := range count {
				c.isNew[at+i] = words[i].ID != s.source[k]
			}
			touch(at-1, at+count)
		}
		at += count
	}
	return c
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
