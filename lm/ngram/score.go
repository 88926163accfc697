package ngram

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// context is the longest end of the words before a place that the model knows and that is shorter
// than its order: an n-gram of so many words, and its number. The zero value is no words.
type context struct {
	words int
	gram  uint32
}

// LogProb returns ln p of a sentence, its end included: the sum over its words and <eos> of the
// package comment's p.
//
// A word that is <mask> is not known: it contributes nothing, and of a context that has one only
// the words after it count.
func (m *Model) LogProb(ids []int64) float64 {
	return m.sum(m.after(context{}, corpus.BosID), ids, 0, len(ids))
}

// Window returns the sum of ln p of those words of a sentence, <eos> included, whose n-gram
// contains word k (0 to len(ids), where <eos> stands). Of two sentences that differ in word k alone
// it differs by what LogProb differs by, and takes the time of 2 order words whatever their length.
func (m *Model) Window(ids []int64, k int) float64 {
	c := context{}
	from := k - m.Order() + 1
	if from < 0 {
		c, from = m.after(c, corpus.BosID), 0
	}
	for _, id := range ids[from:k] {
		c = m.after(c, m.classOf(id))
	}
	return m.sum(c, ids, k, min(k+m.Order()-1, len(ids)))
}

// sum adds ln p of the words from one place to another, the latter included, which may be the end.
func (m *Model) sum(c context, ids []int64, from, to int) float64 {
	sum := 0.0
	for i := from; i <= to; i++ {
		w := uint32(corpus.EosID)
		if i < len(ids) {
			w = m.classOf(ids[i])
		}
		var logp float64
		c, logp = m.step(c, w)
		sum += logp
	}
	return sum
}

func (m *Model) after(c context, word uint32) context {
	c, _ = m.step(c, word)
	return c
}

// step returns ln p of a word after a context, and the context after it.
func (m *Model) step(c context, word uint32) (context, float64) {
	if word == corpus.MaskID {
		return context{}, 0
	}
	logp := 0.0
	for c.words > 0 {
		if longer, ok := m.find(c.words-1, c.gram, word); ok {
			l := &m.levels[c.words]
			logp += float64(l.logp[longer])
			if c.words+1 < len(m.levels) {
				return context{c.words + 1, longer}, logp
			}
			return context{c.words, l.suffix[longer]}, logp
		}
		l := &m.levels[c.words-1]
		logp += float64(l.backoff[c.gram])
		if c.words--; c.words > 0 {
			c.gram = l.suffix[c.gram]
		}
	}
	logp += float64(m.levels[0].logp[word])
	if len(m.levels) == 1 {
		return context{}, logp
	}
	return context{1, word}, logp
}

// Perplexity returns that of a text: exp of the mean of -ln p over its words and the ends of its
// sentences, 1 of no sentence.
func (m *Model) Perplexity(sentences [][]int64) float64 {
	sum, n := 0.0, 0
	for _, s := range sentences {
		sum += m.LogProb(s)
		n += len(s) + 1
	}
	return math.Exp(-sum / float64(max(1, n)))
}
