package guided

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// unmask takes masks away from words without evidence of their own, which attention masked beside
// those that carry the style: what is not refilled cannot be refilled badly. The word of the most
// evidence stays masked, of equals the first.
func (r *Refiller) unmask(ctx context.Context, all []*draft) error {
	if r.How.Evidence == 0 {
		return nil
	}
	evidence, err := r.evidence(ctx, all, true)
	if err != nil {
		return err
	}
	for i, s := range all {
		most := largest(evidence[i])
		for k, on := range s.masks {
			s.masks[k] = on && (k == most || evidence[i][k] >= r.How.Evidence-rounding)
		}
	}
	return nil
}

// maskMost masks words of the value least or more, those of the most first, up to half of a
// sentence.
func (s *draft) maskMost(values []float64, least float64) {
	for !s.halfMasked() {
		k := largest(values)
		if k < 0 || values[k] < least-rounding {
			return
		}
		s.masks[k], values[k] = true, math.Inf(-1)
	}
}

// insist writes sentences once more of which the guide doubts that their drafts have the style
// asked for as a whole, and keeps what it is surer of. Masks are put at all words that have
// evidence too, those of the most first and up to half of a sentence in all, and mixed texts count
// beside the styles. So the sentences alone that need it are changed in more places. sources are
// the drafts before they were written.
func (r *Refiller) insist(ctx context.Context, sources, all []*draft) error {
	whole := r.weighing(1)
	if err := whole.judge(ctx, all); err != nil {
		return err
	}
	var again, doubtful []*draft
	for i, s := range all {
		if surer(r.How.Insist, s.sure) {
			again, doubtful = append(again, sources[i]), append(doubtful, s)
		}
	}
	if len(again) == 0 {
		return nil
	}
	evidence, err := r.evidence(ctx, again, false)
	if err != nil {
		return err
	}
	for i, s := range again {
		s.maskMost(evidence[i], max(r.How.Evidence, 2*rounding))
	}
	if err := r.weighing(r.How.MixedWeight).write(ctx, again); err != nil {
		return err
	}
	if err := whole.judge(ctx, again); err != nil {
		return err
	}
	for i, s := range doubtful {
		if surer(again[i].sure, s.sure) {
			*s = *again[i]
		}
	}
	return nil
}

// evidence returns by how much the guide's log p(own style) - log p(asked) of each draft falls
// where a word is hidden, of the words that are masked or of those that are not; -Inf of others.
func (r *Refiller) evidence(ctx context.Context, all []*draft, masked bool) ([][]float64, error) {
	of := func(s *draft, k int) bool {
		return s.masks[k] == masked && (masked || r.maskable(s, k))
	}
	p := r.probes(8 * len(all))
	for _, s := range all {
		p.add(s, asIs)
		for k := range s.words {
			if of(s, k) {
				p.add(s, k, corpus.UnkID)
			}
		}
	}
	if len(p.ids) == 0 {
		return nil, nil
	}
	logs, err := p.Guide.LogProbs(ctx, p.ids)
	if err != nil {
		return nil, err
	}
	next := func(s *draft) float64 {
		l := logs[0]
		logs = logs[1:]
		return l[s.style] - l[s.asked]
	}
	out := make([][]float64, len(all))
	for i, s := range all {
		whole := next(s)
		for k := range s.words {
			e := math.Inf(-1)
			if of(s, k) {
				e = whole - next(s)
			}
			out[i] = append(out[i], e)
		}
	}
	return out, nil
}
