package metrics

import (
	"fmt"
	"slices"
)

// StrongLogOdds is the smallest log-odds in the training text that makes a word a strong style
// word. Such a word is at least 7.4 times as frequent in texts of its style as in other texts.
// Words that reach this limit, such as "rude", are hardly ever neutral. Other words, such as
// "wait", may be neutral.
const StrongLogOdds = 2

// sourceWordsLeft is the share of the outputs, 0-1, that keep a strong style word of their source.
// Human readers notice such a word, while a classifier of the whole sentence may overlook it. No
// table ranks by this metric, because a system that writes nothing has the best value, 0.
var sourceWordsLeft = &Metric{
	Key: "source_words_left", Head: "source\nwords\nleft %", Share: true, Decimals: 1, Group: GroupFluency, pooled: true,
	Note: "source words left %: outputs that keep a strong style word of their source, one that is at least 7.4 times as " +
		"frequent in training texts of that style. Lower is better.",
	signature: whereAny(func(m *measured) bool { return m.StyleWords != nil }, constant(fmt.Sprintf(
		"source_words_left|of:outputs|word:in-source-and-output|log-odds:%d|text:train|level:micro|version:1", StrongLogOdds,
	))),
	records: []record{{"source_words_left", func(m *measured) [][]float64 {
		if m.StyleWords == nil {
			return nil
		}
		kept := make([]float64, len(m.Output))
		for i, words := range m.Output {
			strong := func(w string) bool { return m.StyleWords[w] && slices.Contains(m.Source[i], w) }
			if slices.ContainsFunc(words, strong) {
				kept[i] = 1
			}
		}
		return single(kept)
	}}},
	needs: []string{"source_words_left"},
	total: meanOf("source_words_left"),
}
