package guided

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// weigh fills in the words of a draft that stand, and what the language model and the cost say of
// them.
func (w *Writer) weigh(s *draft) {
	s.ids = s.standing()
	s.fluency = w.Fluency.LogProb(s.ids) / float64(len(s.ids)+1)
	s.cost = 0
	direction := corpus.Direction{From: s.from, To: s.asked}
	for k, words := range s.words {
		s.cost += w.costOf(s.source[k], words, direction)
	}
}

// worth returns what the search raises, given the log odds of the style asked for:
//
//	style odds + fluency log p - cost
func (w *Writer) worth(s *draft, odds float64) float64 {
	return w.How.Style*odds + w.How.Fluency*s.fluency - s.cost
}

// costOf returns the cost of the words that stand in the place of a word of the source. Another
// word costs 1. That is less if both words are alike, unless the source's word carries content:
// "service" may not stand for "food". Each further word costs 1. A deleted word costs its rarity.
func (w *Writer) costOf(source int64, words []Word, d corpus.Direction) float64 {
	if words[0].Origin == Deleted {
		return w.rarity(source)
	}
	further := float64(len(words) - 1)
	if slices.ContainsFunc(words, func(word Word) bool { return word.ID == source }) {
		return further
	}
	content := w.rarity(source) * max(0, 1-math.Abs(w.Phrases.odds(source, d))/2)
	return further + 1 - (1-content)*max(0, w.Filler.Likeness(words[0].ID, source))
}

// rarity returns 0 for a word as frequent as function words, 1 for a rare one, in between by log p.
func (w *Writer) rarity(id int64) float64 {
	const often, seldom = -4, -10 // log p: one word in 55, one in 22,000
	return max(0, min(1, (often-w.Fluency.Alone(id))/(often-seldom)))
}

// judge asks the guide about drafts, and fills in their worth.
func (w *Writer) judge(ctx context.Context, all []*draft) error {
	if len(all) == 0 {
		return nil
	}
	logs, err := w.Guide.LogProbs(ctx, lists.Map(all, func(s *draft) []int64 { return s.ids }))
	if err != nil {
		return err
	}
	for i, s := range all {
		s.style = logs[i]
		s.worth = w.worth(s, s.odds())
	}
	return nil
}

// output returns a draft with what was said of it.
func (s *draft) output() Output {
	o := Output{
		Style: math.Exp(s.style[s.asked]), Fluency: s.fluency, Cost: s.cost, Worth: s.worth, Rating: s.rating,
	}
	for _, words := range s.words {
		o.Words = append(o.Words, words...)
	}
	return o
}
