package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

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
	changes := lists.Map(drafts, (*draft).changed)
	likely, err := r.likelihoods(ctx, sources, outputs, changes)
	if err != nil {
		return err
	}
	for i, s := range drafts {
		s.featured = true
		f, ids, n := &s.features, outputs[i].source, float64(len(s.source))
		f[Odds], f[Left] = -odds[i], slices.Max(evidence[i])
		for k := range s.words {
			if s.isSource(k) {
				continue
			}
			f[Places]++
			if ofSources[i][k] < noEvidence {
				f[Plain]++
			}
		}
		f[Share] = f[Places] / n
		f[Near], f[Beside], f[Contrast] = likely[i].near, likely[i].beside, likely[i].contrast
		f[Alike], f[LeastFit] = r.alike(s.source, ids, changes[i]), r.leastFit(ids, changes[i])
		f[NGrams] = r.Fluency.LogProb(ids)/float64(len(ids)+1) - r.Fluency.LogProb(s.source)/(n+1)
	}
	return nil
}

// alike returns the mean likeness of the new words of an output and those of the source in whose
// places they stand; 0 without one.
func (r *Refiller) alike(source, ids []int64, c changed) float64 {
	sum, n := 0.0, 0.0
	for i, isNew := range c.isNew {
		if isNew {
			sum, n = sum+r.Likelihood.Alike(ids[i], source[c.place[i]]), n+1
		}
	}
	return sum / max(n, 1)
}

// leastFit returns how well the word near a change fits that fits least: log p by the n-grams of
// the words whose n-grams have it, above log p of it alone.
func (r *Refiller) leastFit(ids []int64, c changed) (least float64) {
	for i, near := range c.near {
		if near {
			least = min(least, r.Fluency.Window(ids, i)-r.Fluency.Alone(ids[i]))
		}
	}
	return least
}

// likelihood is what SMLM says of an output where it was changed.
type likelihood struct {
	near     float64 // mean log q(w | asked) of new words and those beside them
	beside   float64 // of those that stay, the least log q(w | asked) above log q(w | own) in the source
	contrast float64 // mean log q(w | asked) - log q(w | own) of new words; 0 without one
}

// likelihoods returns what SMLM says of outputs, each word masked alone.
func (r *Refiller) likelihoods(
	ctx context.Context, sources, outputs []*draft, changes []changed,
) ([]likelihood, error) {
	var d corpus.Encoded
	for i, o := range outputs {
		c := changes[i]
		for k, near := range c.near {
			if near {
				r.addSource(&d, o, []int{k}, o.asked)
			}
			if c.isNew[k] {
				r.addSource(&d, o, []int{k}, o.style)
			} else if near {
				r.addSource(&d, sources[i], []int{c.place[k]}, o.style)
			}
		}
	}
	logs, err := r.Likelihood.LogQ(ctx, d)
	if err != nil {
		return nil, err
	}
	next := func() float64 {
		q := logs[0][0]
		logs = logs[1:]
		return q
	}
	out := make([]likelihood, len(outputs))
	for i, c := range changes {
		l, n, news := &out[i], 0.0, 0.0
		for k, near := range c.near {
			if !near {
				continue
			}
			q := next()
			l.near, n = l.near+q, n+1
			above := q - next()
			if c.isNew[k] {
				l.contrast, news = l.contrast+above, news+1
			} else {
				l.beside = min(l.beside, above)
			}
		}
		l.near, l.contrast = l.near/max(n, 1), l.contrast/max(news, 1)
	}
	return out, nil
}

// changed says of the words of an output in whose places they stand, which are new, and which of
// them or beside them or beside the place of a deleted one. New words are near.
type changed struct {
	place       []int
	isNew, near []bool
}

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
		c.place = append(c.place, slices.Repeat([]int{k}, count)...)
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
