package guided

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// enough is the p(style is 2) p(content is 2) p(fluency is 2), by the ranker, from which the output
// of the first way is kept and no other way is tried (docs/decisions/039-ranked.md).
const enough = .3

// rank writes drafts in the first way and, where that is not good enough, in every other way too.
// Of a sentence's outputs it keeps what the ranker scores highest, of equals the first.
func (r *Refiller) rank(ctx context.Context, all []*draft) error {
	of, tried, err := r.beforeWays(ctx, all)
	if err != nil {
		return err
	}
	if err := of.writeWays(ctx, tried, 0, 1); err != nil {
		return err
	}
	doubted := lists.Where(tried, func(t *tries) bool { return r.rankedAs(r.chosen(t)) < math.Log(enough) })
	if err := of.writeWays(ctx, doubted, 1, len(r.How.Ways())); err != nil {
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

// chosen returns what the ranker scores highest, of equals the first.
func (r *Refiller) chosen(t *tries) *draft {
	return t.written[max(0, largest(lists.Map(t.written, r.rankedAs)))]
}

// rankedAs returns the score of a draft by the ranker, or -Inf if nothing is rewritten: that is the last choice.
func (r *Refiller) rankedAs(s *draft) float64 {
	if !s.isRewritten() {
		return math.Inf(-1)
	}
	return r.Ranker.Score(s.features)
}

// beforeWays returns the refiller that writes in several ways, and the sentences for it, which know
// their contrasts.
func (r *Refiller) beforeWays(ctx context.Context, all []*draft) (*Refiller, []*tries, error) {
	of := *r
	if r.Guide != nil {
		of.Guide = &remembering{Guide: r.Guide, known: map[string][]float64{}}
	}
	if err := of.knowContrasts(ctx, all); err != nil {
		return nil, nil, err
	}
	return &of, lists.Map(all, func(s *draft) *tries { return &tries{sentence: s} }), nil
}

// Choice is one of the outputs that the ranker may choose among.
type Choice struct {
	Output
	Way      int      // the first of How.Ways that writes it
	Features Features // all 0 of a sentence that no way rewrites
}

// Choices returns, for every sentence, the outputs of all ways, also where Transfer keeps the first
// without asking for others: what a ranker is fitted on. A sentence that no way rewrites has its
// source alone; others do not have it.
func (r *Refiller) Choices(ctx context.Context, d corpus.Encoded) ([][]Choice, error) {
	all := make([]*draft, len(d.IDs))
	for i := range all {
		all[i] = newDraft(d, i)
	}
	of, tried, err := r.beforeWays(ctx, all)
	if err != nil {
		return nil, err
	}
	if err := of.writeWays(ctx, tried, 0, len(r.How.Ways())); err != nil {
		return nil, err
	}
	out := make([][]Choice, len(all))
	for i, t := range tried {
		written := lists.Where(t.written, (*draft).isRewritten)
		if len(written) == 0 {
			written = t.written
		}
		out[i] = lists.Map(written, func(s *draft) Choice { return Choice{s.output(), s.way, s.features} })
	}
	return out, nil
}

// writeWays adds what some of the ways make of sentences, with features.
func (r *Refiller) writeWays(ctx context.Context, tried []*tries, from, to int) error {
	var news []*draft
	for n := from; n < to; n++ {
		way := *r
		way.How = r.How.Ways()[n]
		written := lists.Map(tried, func(t *tries) *draft { return t.sentence.clone() })
		if err := way.writeOneWay(ctx, written); err != nil {
			return err
		}
		for i, s := range written {
			if t := tried[i]; !slices.ContainsFunc(t.written, func(o *draft) bool { return !o.differs(s) }) {
				s.way = n
				t.written = append(t.written, s)
				news = append(news, s)
			}
		}
	}
	return r.knowFeatures(ctx, lists.Where(news, (*draft).isRewritten))
}

// noEvidence is the evidence below which a word of the source carries no style (Features).
const noEvidence = .5

// knowFeatures lets rewritten drafts know theirs.
func (r *Refiller) knowFeatures(ctx context.Context, drafts []*draft) error {
	every := func(*draft, int) bool { return true }
	sources := lists.Map(drafts, func(s *draft) *draft { return s.of(s.source) })
	_, ofSources, err := r.falls(ctx, sources, every, corpus.UnkID)
	if err != nil {
		return err
	}
	outputs := lists.Map(drafts, func(s *draft) *draft { return s.of(s.ids(asIs)) })
	odds, evidence, err := r.falls(ctx, outputs, every, corpus.UnkID)
	if err != nil {
		return err
	}
	likely, err := r.likelihoods(ctx, drafts, outputs)
	if err != nil {
		return err
	}
	for i, s := range drafts {
		f, ids, n := &s.features, outputs[i].source, float64(len(s.source))
		*f = Features{}
		f[Odds], f[Left] = -odds[i], slices.Max(evidence[i])
		for k := range s.words {
			if s.isSource(k) {
				f[Telling] = max(f[Telling], s.contrasts[k])
				continue
			}
			f[Places]++
			if ofSources[i][k] < noEvidence {
				f[Plain]++
			}
		}
		f[Share] = f[Places] / n
		f[Longer], f[Words] = float64(len(ids))-n, n
		f[Near], f[Least], f[Contrast] = likely[i].near, likely[i].least, likely[i].contrast
		f[NGrams] = r.Fluency.LogProb(ids)/float64(len(ids)+1) - r.Fluency.LogProb(s.source)/(n+1)
	}
	return nil
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
