package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// draft is an output in the making.
type draft struct {
	source         []int64
	style, asked   int    // its style, and the one that it is to have
	attentionMasks []bool // what attention masked
	masks          []bool // that and what was masked beside
	words          []Word
	sure           float64 // the guide's p(style asked for | words), 0 without a guide
	searchLogQ     float64 // log q of what a search found, 0 of words that were filled in
}

func newDraft(d corpus.Encoded, i int) *draft {
	s := &draft{
		source: d.IDs[i], style: d.Styles[i], asked: d.Asked[i],
		attentionMasks: d.Masks[i], masks: slices.Clone(d.Masks[i]),
	}
	for _, id := range s.source {
		s.words = append(s.words, Word{ID: id, Origin: Kept})
	}
	return s
}

// clone returns a copy whose words and masks can change.
func (s *draft) clone() *draft {
	c := *s
	c.masks, c.words = slices.Clone(s.masks), slices.Clone(s.words)
	return &c
}

func (s *draft) output() Output { return Output{Words: s.words, Sure: s.sure} }

// ids returns the words as they stand, with word k replaced by another, or as they are with k below
// 0.
func (s *draft) ids(k int, by int64) []int64 {
	ids := make([]int64, len(s.words))
	for i, w := range s.words {
		ids[i] = w.ID
	}
	if k >= 0 {
		ids[k] = by
	}
	return ids
}

// addTo appends the draft to sentences that a model is asked about, with these words and masks.
func (s *draft) addTo(d *corpus.Encoded, ids []int64, masks []bool) {
	d.IDs, d.Masks = append(d.IDs, ids), append(d.Masks, masks)
	d.Styles, d.Asked = append(d.Styles, s.style), append(d.Asked, s.asked)
}

// nextChosen returns the first place, from one on, whose word is not the source's own, or
// len(s.words) if there is none.
func (s *draft) nextChosen(from int) int {
	for from < len(s.words) && s.words[from].OfSource() {
		from++
	}
	return from
}

// differs tells whether two drafts of a sentence have different words.
func (s *draft) differs(other *draft) bool {
	return !slices.EqualFunc(s.words, other.words, func(a, b Word) bool { return a.ID == b.ID })
}

// write writes a word where a mask is.
func (s *draft) write(k int, f Fill) {
	origin := Refilled
	if !s.attentionMasks[k] {
		origin = Added
	}
	s.words[k] = Word{ID: f.ID, Origin: origin, Asked: f.Asked}
}

// logQ returns log q of the output if a search found it, else the sum of log q of the words that
// were chosen.
func (s *draft) logQ() (sum float64) {
	if s.searchLogQ != 0 {
		return s.searchLogQ
	}
	for _, w := range s.words {
		sum += w.Asked
	}
	return sum
}

// masked returns the number of masks.
func (s *draft) masked() (n int) {
	for _, on := range s.masks {
		if on {
			n++
		}
	}
	return n
}

// judge asks the guide how sure it is of drafts as they stand.
func (r *Refiller) judge(ctx context.Context, all []*draft) error {
	if r.Guide == nil {
		return nil
	}
	p := r.probes(len(all))
	for _, s := range all {
		p.add(s, -1, 0)
	}
	sure, err := p.ask(ctx)
	if err != nil {
		return err
	}
	for i, s := range all {
		s.sure = sure[i]
	}
	return nil
}

// probes are sentences that the guide is asked about in one call.
type probes struct {
	*Refiller
	ids   [][]int64
	asked []int // the style asked for of each
}

func (r *Refiller) probes(n int) *probes { return &probes{Refiller: r, ids: make([][]int64, 0, n)} }

// add asks about a draft with word k replaced, or as it is where k is negative.
func (p *probes) add(s *draft, k int, by int64) {
	p.ids, p.asked = append(p.ids, s.ids(k, by)), append(p.asked, s.asked)
}

// ask returns p(style asked for | words) of each sentence.
func (p *probes) ask(ctx context.Context) ([]float64, error) {
	if len(p.ids) == 0 {
		return nil, nil
	}
	logs, err := p.Guide.LogProbs(ctx, p.ids)
	if err != nil {
		return nil, err
	}
	sure := make([]float64, len(logs))
	for i, l := range logs {
		sure[i] = p.share(l, p.asked[i])
	}
	return sure, nil
}

// share returns p(style), given the guide's log p of the styles and of mixed texts, if it knows
// them. These are weighed: the guide has seen far more of them than there are.
func (r *Refiller) share(logs []float64, style int) float64 {
	if r.Styles == 0 || len(logs) == r.Styles {
		return math.Exp(logs[style])
	}
	all := 0.0
	for c, l := range logs {
		weight := 1.0
		if c >= r.Styles {
			weight = r.mixedWeight
		}
		all += weight * math.Exp(l-logs[style])
	}
	return 1 / all
}
