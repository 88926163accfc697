// Package ngram is an interpolated modified Kneser-Ney language model over word ids (Kneser and Ney
// 1995; Chen and Goodman 1999, section 3), which says how fluent a fill is among its neighbours. It
// is of another kind than the LSTM of package lm on purpose: that one judges outputs, and what a
// transfer was chosen by must not be what it is measured with.
//
// The probability of a word w after the words h, of which h' are all but the first, is
//
//	p(w | h) = (a(hw) - D(a(hw))) / sum_v a(hv) + gamma(h) p(w | h')
//	gamma(h) = sum_{v: a(hv) > 0} D(a(hv)) / sum_v a(hv)
//
// and p(w | h') where h was never seen. Below the words alone stands 1/V, of V words that can come
// next: all of the vocabulary, <unk> and <eos>. The count a of an n-gram is how often the text has
// it where n is the order, and where it begins with <bos>, before which nothing stands; of every
// other n-gram it is how many words the text has before it. The discounts are
//
//	Y = n1 / (n1 + 2 n2)   D(1) = 1 - 2 Y n2/n1   D(2) = 2 - 3 Y n3/n2   D(3 and more) = 3 - 4 Y n4/n3
//
// where nk n-grams of that length have a = k. A text too small to estimate them so, where an nk is
// 0 or a D(k) is not above 0 and at most k, gets 0.5, 1 and 1.5, as in KenLM (Heafield et al.
// 2013).
//
// ln p and ln gamma are kept in float32 and added up in float64.
//
// A sentence begins with one <bos>, which is only ever a context, and ends with <eos>. <unk> is a
// word like others; ids beyond the vocabulary and special tokens inside a sentence are <unk>, but
// for <mask>: see LogProb.
package ngram

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// MaxOrder is the longest n-gram that Train counts.
const MaxOrder = 5

// Model is a trie of n-grams: the children of one are those that go on with another word, so that
// all n-grams of a length lie in the order of their words. It is never changed after it is made, so
// many goroutines may use it.
type Model struct {
	vocab  int
	levels []level // by length less 1; as many as the order
}

// level is the n-grams of one length, each an entry of every slice. Those of one word are numbered
// by its id, seen or not.
type level struct {
	word  []uint32 // the last one
	count []uint32 // a of the package comment
	first []uint32 // the children of i are first[i]:first[i+1] of the next level; nil at the last

	// suffix is the n-gram without its first word, in the level before; nil at the first
	suffix []uint32

	logp    []float32 // ln p of the last word after the others
	backoff []float32 // ln gamma of all words as a context, 0 where nothing follows; nil at the last level
}

// Train counts the n-grams of sentences, up to order words long (1 to MaxOrder), over ids below
// vocab, and makes probabilities of the counts. <mask> is <unk> to it: a training text has none.
func Train(sentences [][]int64, order, vocab int) *Model {
	m := &Model{vocab: vocab, levels: count(tokens(sentences, vocab), order, vocab)}
	m.adjust()
	m.weigh()
	return m
}

// Order is the length of the longest n-grams.
func (m *Model) Order() int { return len(m.levels) }

// NGrams returns how many n-grams of each length the text had, <bos> among the words.
func (m *Model) NGrams() []int {
	out := make([]int, m.Order())
	for _, n := range m.levels[0].count {
		if n > 0 {
			out[0]++
		}
	}
	for k, l := range m.levels[1:] {
		out[k+1] = len(l.word)
	}
	return out
}

// classOf returns the word as which an id is counted and scored. <mask> has one of its own.
func (m *Model) classOf(id int64) uint32 {
	if id >= corpus.NumSpecial && id < int64(m.vocab) || id == corpus.MaskID {
		return uint32(id)
	}
	return corpus.UnkID
}

// predicted says whether a sentence can go on with a word.
func predicted(word uint32) bool {
	return word == corpus.UnkID || word == corpus.EosID || word >= corpus.NumSpecial
}

// find returns the number of the n-gram that goes on by word from n-gram i of a level (its length
// less 1), and whether there is one. A hash table of all n-grams takes as long, for it misses the
// cache, and five times the memory.
func (m *Model) find(k int, i, word uint32) (uint32, bool) {
	l := &m.levels[k]
	from, words := l.first[i], m.levels[k+1].word
	// Words increase, so that word's place is at most word: the ids of common ones are small.
	n := min(l.first[i+1]-from, word+1)
	for n > 1 { // the place is one of from to from+n-1
		half := n / 2
		if words[from+half] <= word {
			from += half
		}
		n -= half
	}
	return from, n == 1 && words[from] == word
}

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

// Alone returns ln p of a word of which no neighbour is known.
func (m *Model) Alone(id int64) float64 { return float64(m.levels[0].logp[m.classOf(id)]) }

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
