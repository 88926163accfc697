package metrics

import (
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// PseudoFluency is what a masked language model makes of the outputs of one direction.
type PseudoFluency struct {
	LogProb   []float64 // of each output the sum of log p of its words, each given all others
	Words     []int     // what LogProb sums over: the words that the model knows
	Signature string
}

// pseudoPerplexity is exp(-sum of the pseudo log likelihoods / number of words) (Salazar et al.
// 2020).
var pseudoPerplexity = &Metric{
	Key: "pseudo_perplexity", Head: "PPPL", Decimals: 1, Group: GroupFluency, pooled: true, tested: true,
	apart: true,
	Note: "PPPL: pseudo-perplexity of the outputs, per word, by a masked language model that predicts each word from all " +
		"others. Lower is more fluent.",
	signature: whereAny(
		func(m *measured) bool { return m.PseudoFluency != nil },
		func(dirs []*measured) string {
			return joinNames(dirs, func(d *measured) string {
				if d.PseudoFluency == nil {
					return ""
				}
				return d.PseudoFluency.Signature
			})
		}),
	records: []record{
		{"pseudo_log_prob", numberType, func(m *measured) [][]float64 {
			if m.PseudoFluency == nil {
				return nil
			}
			return single(m.PseudoFluency.LogProb)
		}},
		{"known_words", wholeType, func(m *measured) [][]float64 {
			if m.PseudoFluency == nil {
				return nil
			}
			return single(floats(m.PseudoFluency.Words))
		}},
	},
	needs: []string{"pseudo_log_prob", "known_words"},
	total: func(t *totals) float64 { return math.Exp(-t.sum("pseudo_log_prob") / max(1, t.sum("known_words"))) },
	wrong: func(s *Sentence) string {
		logProb, words := s.Numbers["pseudo_log_prob"], s.Numbers["known_words"]
		if len(logProb) != len(words) || words != nil && words[0] < 0 {
			return "pseudo_log_prob and known_words, a number of 0 or more, go together"
		}
		if logProb != nil && !probable(logProb[0], int(words[0])) {
			return fmt.Sprintf("no pseudo-perplexity can be made of the pseudo_log_prob %v over %v words", logProb[0], words[0])
		}
		return ""
	},
}

// check refuses what does not belong to the outputs, or of which no pseudo-perplexity can be
// made.
func (f *PseudoFluency) check(in *Input) error {
	n := len(in.Source)
	if len(f.LogProb) != n || len(f.Words) != n {
		return in.differ(min(len(f.LogProb), len(f.Words)), "output", " that the masked language model read")
	}
	for i, p := range f.LogProb {
		if f.Words[i] < 0 || !probable(p, f.Words[i]) {
			return userr.New(userr.BadInput, "the masked language model gives output %d from %s the pseudo "+
				"log likelihood %v over %d words, which gives no pseudo-perplexity; train it again", i+1, in.name(), p, f.Words[i])
		}
	}
	return nil
}
