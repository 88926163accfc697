package guided

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// weigh sets the ids, the number of odd trigrams (see Odd) and the cost of a draft.
func (w *Writer) weigh(s *draft) {
	s.ids = s.undeleted()
	s.odd = w.odd(s.known, s.ids)
	s.cost = 0
	for k, words := range s.words {
		s.cost += w.costOf(s.source[k], words, s.direction())
	}
}

// The method worth returns the number that the search maximises, given the log-odds of the target
// style:
//
//	style 3 log sigmoid(odds/3) - fluency odd - cost
//
// While the odds favour the source style, the first term is close to the log-odds. Once the guide
// is sure of the target style, the first term is close to 0, so more style gains nothing.
func (w *Writer) worth(s *draft, odds float64) float64 {
	const softness = 3
	style := -softness * math.Log1p(math.Exp(-odds/softness))
	return float64(w.How.Style)*style - w.How.Fluency*float64(s.odd) - s.cost
}

// costOf returns the cost of the words in the place of a source word. If the source word is lost,
// this costs 1 plus its content (see the method content). The setting StyleCost lowers the 1 for a
// word that the source style uses more than the target style, fully from e² times as much on. Each
// further word costs 1.
func (w *Writer) costOf(source int64, words []Word, d corpus.Direction) float64 {
	further := float64(len(words) - 1)
	if slices.ContainsFunc(words, func(word Word) bool { return word.ID == source }) {
		return further
	}
	ofSourceStyle := max(0, min(1, -w.Phrases.odds(source, d)/2))
	return further + 1 - (1-float64(w.How.StyleCost))*ofSourceStyle + w.content(source, d)
}

// content returns how much of a word is content, not style: 1 for a rare word that both styles use
// equally, 0 for a frequent word or a style word.
func (w *Writer) content(id int64, d corpus.Direction) float64 {
	return w.rarity(id) * max(0, 1-math.Abs(w.Phrases.odds(id, d))/2)
}

// rarity returns 0 for a word as frequent as function words and 1 for a rare word. It is linear in
// log p.
func (w *Writer) rarity(id int64) float64 {
	const frequent, rare = -4, -10 // log p: one word in 55, one in 22,000
	return max(0, min(1, (frequent-w.Fluency.UnigramLogProb(id))/(frequent-rare)))
}

// judge sets the fields style and worth of some drafts, from the guide's log probabilities. It
// returns an error if a worth is not finite.
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
		if math.IsNaN(s.worth) || math.IsInf(s.worth, 0) {
			return errors.New("the worth of an output is not finite: the weights of the guide or the counts of words are damaged, " +
				"train them again")
		}
	}
	return nil
}

// output returns a draft as an Output.
func (s *draft) output() Output {
	o := Output{
		Style: math.Exp(s.style[s.targetStyle]), Odd: s.odd, Cost: s.cost, Worth: s.worth,
	}
	for _, words := range s.words {
		o.Words = append(o.Words, words...)
	}
	return o
}
