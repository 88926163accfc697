package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Alternative is one of several outputs of a sentence, and what speaks for it.
type Alternative struct {
	Output
	Written    bool    // it is what Transfer writes
	Fluency    float64 // log p of the sentence, 0 without n-grams
	Similarity float64 // share of the source's words that stand in their places
	Total      float64 // LogQ + GuideWeight log Sure + the weight of fluency times Fluency
}

// Alternatives returns, for every sentence, what Transfer wrote among other outputs of the same
// masks: those of How.Candidates, which are restored and revised as Transfer does it, without
// repeats. Where these come to fewer than are wanted, as revising makes most of them one, there are
// fillings as they were drawn too. What Transfer wrote comes first, then the output of the largest
// Total.
func (r *Refiller) Alternatives(
	ctx context.Context, d corpus.Encoded, written []Output, wanted int,
) ([][]Alternative, error) {
	all := make([]*draft, len(d.IDs))
	for i := range all {
		all[i] = newDraft(d, i)
		all[i].maskAsIn(written[i])
	}
	of, err := r.candidates(ctx, all)
	if err != nil {
		return nil, err
	}
	flat := slices.Concat(of...)
	if err := r.judge(ctx, flat); err != nil {
		return nil, err
	}
	drawn := lists.Map(of, func(drafts []*draft) []*draft { return lists.Map(drafts, (*draft).clone) })
	if err := r.restoreAndRevise(ctx, flat); err != nil {
		return nil, err
	}
	out := make([][]Alternative, len(of))
	for i, drafts := range of {
		out[i] = r.ranked(d.IDs[i], drafts, written[i])
		if len(out[i]) < wanted {
			more := r.ranked(d.IDs[i], append(drafts, drawn[i]...), written[i])
			out[i] = more[:min(len(more), wanted)]
		}
	}
	return out, nil
}

// maskAsIn masks what is not kept in an output. Phrases that are negated there are so in the draft.
func (s *draft) maskAsIn(o Output) {
	cells := make([]cell, len(s.words))
	for _, w := range o.Words {
		cells[w.Place] = append(cells[w.Place], w)
	}
	for k, c := range cells {
		if s.masks[k] = c[0].Origin != Kept; c.isNegated() {
			s.words[k], s.masks[k] = c, false
		}
	}
}

// ranked returns what is written and the drafts, without repeats, the best of these first.
func (r *Refiller) ranked(source []int64, drafts []*draft, written Output) (out []Alternative) {
	same := func(ids []int64) int {
		return slices.IndexFunc(out, func(a Alternative) bool { return slices.Equal(a.IDs(), ids) })
	}
	for _, s := range drafts {
		if same(s.ids(asIs)) < 0 {
			out = append(out, Alternative{Output: s.output()})
		}
	}
	is := same(written.IDs())
	if is < 0 {
		is = len(out)
		out = append(out, Alternative{})
	}
	if found := out[is].LogQ; r.Searcher != nil && found != 0 {
		written.LogQ = found // it may have come about in another way
	}
	out[is].Output, out[is].Written = written, true
	for i := range out {
		r.weigh(source, &out[i])
	}
	first := out[is]
	return append([]Alternative{first}, byTotal(slices.Delete(out, is, is+1))...)
}

// byTotal orders outputs by their totals, of equals the first.
func byTotal(of []Alternative) (ordered []Alternative) {
	for len(of) > 0 {
		k := top(lists.Map(of, func(a Alternative) float64 { return a.Total }))
		ordered = append(ordered, of[k])
		of = slices.Delete(of, k, k+1)
	}
	return ordered
}

// weigh fills in what speaks for an output.
func (r *Refiller) weigh(source []int64, a *Alternative) {
	ids := a.IDs()
	same := 0
	for _, w := range a.Words {
		if w.Origin != Inserted && w.ID == source[w.Place] {
			same++
		}
	}
	a.Similarity, a.Total = float64(same)/float64(len(source)), a.LogQ
	if r.Guide != nil {
		a.Total += r.How.GuideWeight * math.Log(max(a.Sure, math.SmallestNonzeroFloat64))
	}
	if r.Fluency != nil {
		a.Fluency = r.Fluency.LogProb(ids)
		a.Total += r.How.Fluency * a.Fluency
	}
}
