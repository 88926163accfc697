package metrics

import (
	"fmt"
	"slices"
)

// StrongLogOdds is the least log odds in the training text of a strong style word: it is 7.4 times
// as frequent in texts of its style. From there on a word is hardly ever neutral, as "rude" is not
// and "wait" may be.
const StrongLogOdds = 2

// sourceWordsLeft is the share of the outputs, 0-1, in which a strong style word of the source
// stands that the source has: what a judge of the whole sentence forgives where other words speak
// louder. Readers do not. A system that writes nothing leaves none either, so no table ranks by it.
var sourceWordsLeft = &Metric{
	Key: "source_words_left", Head: "source\nwords\nleft %", Share: true, Decimals: 1, Group: GroupFluency, pooled: true,
	Note: "source words left %: outputs that keep a strong style word of their source, one that is at least 7.4 times as " +
		"frequent in training texts of that style. Lower is better.",
	signature: whereAny(func(m *measured) bool { return m.StyleWords != nil }, constant(fmt.Sprintf(
		"source_words_left|of:outputs|word:in-source-and-output|log-odds:%d|text:train|level:micro|version:1", StrongLogOdds,
	))),
	records: []record{{"source_words_left", flagType, func(m *measured) [][]float64 {
		if m.StyleWords == nil {
			return nil
		}
		left := make([]float64, len(m.Output))
		for i, words := range m.Output {
			strong := func(w string) bool { return m.StyleWords[w] && slices.Contains(m.Source[i], w) }
			if slices.ContainsFunc(words, strong) {
				left[i] = 1
			}
		}
		return single(left)
	}}},
	needs: []string{"source_words_left"},
	total: meanOf("source_words_left"),
}
