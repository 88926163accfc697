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
	style, asked   int       // its style, and the one that it is to have
	kept           []bool    // the words that are never masked; nil: none
	attentionMasks []bool    // what attention masked
	masks          []bool    // that and what was masked beside
	words          []cell    // what stands for each word of the source
	contrasts      []float64 // of the source's words, where masks depend on them
	sure           float64   // the guide's p(style asked for | words), 0 without a guide
	searchLogQ     float64   // log q of what a search found, 0 of words that were filled in
	way            int       // of How.Ways, where several are tried
	features       Features  // for the ranker, where several ways are tried and this is rewritten
	featured       bool      // whether they are known
	rated          float64   // by the rater, likewise
}

// cell is what stands for one word of the source: itself, or what was written at its slots, the
// empty words last.
type cell []Word

func newDraft(d corpus.Encoded, i int) *draft {
	s := &draft{
		source: d.IDs[i], style: d.Styles[i], asked: d.Asked[i],
		attentionMasks: d.Masks[i], masks: slices.Clone(d.Masks[i]),
	}
	if d.Kept != nil {
		s.kept = d.Kept[i]
	}
	for k, id := range s.source {
		s.words = append(s.words, cell{{ID: id, Place: k, Origin: Kept}})
	}
	return s
}

// of returns a sentence of these words, unmasked, with the draft's styles.
func (s *draft) of(ids []int64) *draft {
	return newDraft(corpus.Encoded{
		IDs: [][]int64{ids}, Styles: []int{s.style}, Asked: []int{s.asked}, Masks: [][]bool{make([]bool, len(ids))},
	}, 0)
}

// clone returns a copy whose words and masks can change.
func (s *draft) clone() *draft {
	c := *s
	c.masks, c.words = slices.Clone(s.masks), slices.Clone(s.words)
	return &c
}

func (s *draft) output() Output {
	o := Output{Sure: s.sure, LogQ: s.logQ()}
	for k, c := range s.words {
		n := c.count()
		o.Words = append(o.Words, c[:n]...)
		if n == 0 {
			o.Words = append(o.Words, Word{
				ID: Empty, Place: k, Origin: Deleted, Asked: c.logQ(), Negated: c[0].Negated,
			})
		}
	}
	return o
}

// count returns the number of words that are not empty.
func (c cell) count() int {
	n := 0
	for n < len(c) && c[n].ID != Empty {
		n++
	}
	return n
}

// logQ returns the sum of log q of what was chosen.
func (c cell) logQ() (sum float64) {
	for _, w := range c {
		sum += w.Asked
	}
	return sum
}

// asIs is no place: nothing is replaced.
const asIs = -1

// ids returns the words as they stand, with others in place k; with asIs they are as they are.
func (s *draft) ids(k int, by ...int64) []int64 {
	ids := make([]int64, 0, len(s.words)+len(by))
	for i, c := range s.words {
		if i == k {
			ids = append(ids, by...)
			continue
		}
		for _, w := range c[:c.count()] {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// at returns how many words stand before place k.
func (s *draft) at(k int) (n int) {
	for _, c := range s.words[:k] {
		n += c.count()
	}
	return n
}

// beside returns the words that stand before and after place k, 0 where there is none.
func (s *draft) beside(k int) (before, after int64) {
	ids, at := s.ids(k), s.at(k)
	if at > 0 {
		before = ids[at-1]
	}
	if at < len(ids) {
		after = ids[at]
	}
	return before, after
}

// withMasks returns the words with so many slots in each open place, of which some, the first ones,
// are masked: a model is asked about these. Where it knows no slots, each is 0.
func (s *draft) withMasks(open []bool, asked, each int) (ids []int64, masks []bool) {
	ids, masks = make([]int64, 0, len(s.words)), make([]bool, 0, len(s.words))
	for k, c := range s.words {
		if open[k] {
			for i := range max(1, each) {
				id := int64(corpus.MaskID)
				if i >= asked {
					id = Empty // which is what a model sees of a further slot
				}
				ids, masks = append(ids, id), append(masks, i < asked)
			}
			continue
		}
		for _, w := range c[:c.count()] {
			ids, masks = append(ids, w.ID), append(masks, false)
		}
	}
	return ids, masks
}

// addTo appends the draft to sentences that a model is asked about, with these words and masks.
func (s *draft) addTo(d *corpus.Encoded, ids []int64, masks []bool) {
	d.IDs, d.Masks = append(d.IDs, ids), append(d.Masks, masks)
	d.Styles, d.Asked = append(d.Styles, s.style), append(d.Asked, s.asked)
}

// nextChosen returns the first place, from one on, where a word was chosen for a mask, or
// len(s.words) if there is none.
func (s *draft) nextChosen(from int) int {
	for from < len(s.words) && (s.words[from][0].OfSource() || s.isNegated(from)) {
		from++
	}
	return from
}

// differs tells whether two drafts of a sentence have different words.
func (s *draft) differs(other *draft) bool {
	return !slices.Equal(s.ids(asIs), other.ids(asIs))
}

// isRewritten tells whether the words are not those of the source.
func (s *draft) isRewritten() bool { return !slices.Equal(s.ids(asIs), s.source) }

// write writes what was chosen where a mask is: a word, or as many words and empty ones as there
// are slots.
func (s *draft) write(k int, chosen ...Fill) {
	origin := Refilled
	if !s.attentionMasks[k] {
		origin = Added
	}
	s.words[k] = nil
	for _, f := range chosen {
		s.words[k] = append(s.words[k], Word{ID: f.ID, Place: k, Origin: origin, Asked: f.Asked})
		origin = Inserted
	}
}

// restore writes the word of the source back where a mask is.
func (s *draft) restore(k int, sure float64) {
	s.words[k] = cell{{ID: s.source[k], Place: k, Origin: Restored, Sure: sure}}
	s.sure = sure
}

// isSource tells whether the word of the source stands alone in its place.
func (s *draft) isSource(k int) bool {
	return s.words[k].count() == 1 && s.words[k][0].ID == s.source[k]
}

// logQ returns log q of the output if a search found it, else the sum of log q of the words that
// were chosen.
func (s *draft) logQ() (sum float64) {
	if s.searchLogQ != 0 {
		return s.searchLogQ
	}
	for _, c := range s.words {
		sum += c.logQ()
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
		p.add(s, asIs)
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

// add asks about a draft with other words in place k.
func (p *probes) add(s *draft, k int, by ...int64) {
	p.ids, p.asked = append(p.ids, s.ids(k, by...)), append(p.asked, s.asked)
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
		sure[i] = math.Exp(l[p.asked[i]])
	}
	return sure, nil
}
