// Package ngram is an interpolated modified Kneser-Ney language model over word ids (Kneser and Ney
// 1995; Chen and Goodman 1999, section 3). It measures how well a word fits its neighbours, and so
// helps to choose outputs. The LSTM of package lm, which judges the outputs, is deliberately a
// different kind of model.
//
// The probability of a word w after the words h, where h' is h without its first word, is
//
//	p(w | h) = (a(hw) - D(a(hw))) / sum_v a(hv) + gamma(h) p(w | h')
//	gamma(h) = sum_{v: a(hv) > 0} D(a(hv)) / sum_v a(hv)
//
// and p(w | h') if h was never seen. Single words back off to 1/V, where V is the number of words
// that can come next: the vocabulary, <unk> and <eos>. The count a of an n-gram is its frequency in
// the text if n is the order of the model, or if the n-gram begins with <bos>, which no word
// precedes. For every other n-gram, a is the number of different words that precede it in the text.
// The discounts are
//
//	Y = n1 / (n1 + 2 n2)   D(1) = 1 - 2 Y n2/n1   D(2) = 2 - 3 Y n3/n2   D(3 and more) = 3 - 4 Y n4/n3
//
// where nk is the number of n-grams of the same length with a = k. If the text is too small for
// these formulas (some nk is 0, or some D(k) is not in (0, k]), the discounts are 0.5, 1 and 1.5,
// as in KenLM (Heafield et al. 2013).
//
// ln p and ln gamma are stored in float32 and summed in float64.
//
// A sentence begins with one <bos>, which is only context, and ends with <eos>. <unk> is a word
// like others. Ids beyond the vocabulary and special tokens inside a sentence count as <unk>,
// except <mask>: see LogProb.
package ngram

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// MaxOrder is the longest n-gram that Train counts.
const MaxOrder = 5

// Model is a trie of n-grams. The children of an n-gram are the n-grams that continue it by one
// word. The n-grams of one length are sorted by their words. A Model does not change after it has
// been made, so it is safe for concurrent use.
type Model struct {
	vocab  int
	levels []level // levels[k] has the n-grams of k+1 words
}

// level holds the n-grams of one length. Entry i of each slice belongs to n-gram i. In the first
// level, the index of a word is its id, and words that are not in the text have entries too.
type level struct {
	word  []uint32 // the last word of the n-gram; nil in the first level
	count []uint32 // the count that the package comment calls a
	first []uint32 // the children of n-gram i are n-grams first[i]:first[i+1] of the next level; nil in the last

	// suffix[i] is the index of an n-gram of the previous level: n-gram i without its first word.
	// suffix is nil in the first level.
	suffix []uint32

	logp    []float32 // ln p of the last word of the n-gram after its other words
	backoff []float32 // ln gamma of the n-gram as a context, or 0 if no word follows it; nil in the last level
}

// Train counts the n-grams of 1 to order words in the sentences, and computes the probabilities.
// The argument order is from 1 to MaxOrder, and the vocabulary has the ids below vocab. Train reads
// <mask> as <unk>, because training text contains no <mask>.
func Train(sentences [][]int64, order, vocab int) *Model {
	m := &Model{vocab: vocab, levels: count(tokens(sentences, vocab), order, vocab)}
	m.adjust()
	m.weigh()
	return m
}

// Order is the length of the longest n-grams.
func (m *Model) Order() int { return len(m.levels) }

// NGrams returns the number of different n-grams of each length in the text, with <bos> as a word.
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

// classOf returns id if it is the id of a word in the vocabulary or of <mask>, else the id of
// <unk>.
func (m *Model) classOf(id int64) uint32 {
	if id >= corpus.NumSpecial && id < int64(m.vocab) || id == corpus.MaskID {
		return uint32(id)
	}
	return corpus.UnkID
}

// The function predicted tells whether a word can come next in a sentence.
func predicted(word uint32) bool {
	return word == corpus.UnkID || word == corpus.EosID || word >= corpus.NumSpecial
}

// find returns the index of the n-gram that continues n-gram i of levels[k] by word, and whether it
// exists. A hash table of all n-grams would be no faster, because of cache misses, and would need
// five times the memory.
func (m *Model) find(k int, i, word uint32) (uint32, bool) {
	l := &m.levels[k]
	from, words := l.first[i], m.levels[k+1].word
	// The ids of the children's last words increase, so the last id of child j, counted from 0, is
	// at least j. The child that ends with word is thus one of the children 0 to word. This
	// shortens the search, because common words have small ids.
	n := min(l.first[i+1]-from, word+1)
	for n > 1 { // if the n-gram exists, its index is in [from, from+n)
		half := n / 2
		if words[from+half] <= word {
			from += half
		}
		n -= half
	}
	return from, n == 1 && words[from] == word
}

// Has reports whether the text contains an n-gram of at most Order words. <bos> and <eos> stand for
// the start and the end of a sentence.
func (m *Model) Has(ngram ...int64) bool {
	class := func(id int64) uint32 {
		if id == corpus.BosID || id == corpus.EosID {
			return uint32(id)
		}
		return m.classOf(id)
	}
	i := class(ngram[0])
	known := m.levels[0].count[i] > 0
	for k, id := range ngram[1:] {
		if known {
			i, known = m.find(k, i, class(id))
		}
	}
	return known
}

// context holds the longest known n-gram at the end of the previous words, limited to order-1
// words. The field words is the length of this n-gram, and gram is its index in the level of this
// length. The zero value has no words.
type context struct {
	words int
	gram  uint32
}

// LogProb returns ln p of a sentence with its end: the sum of ln p(w | h) (see the package comment)
// over its words and <eos>.
//
// A <mask> adds nothing, and the words before it are no context for the words after it.
func (m *Model) LogProb(ids []int64) float64 {
	return m.sum(m.advance(context{}, corpus.BosID), ids, 0, len(ids))
}

// UnigramLogProb returns ln p of a word without context.
func (m *Model) UnigramLogProb(id int64) float64 { return float64(m.levels[0].logp[m.classOf(id)]) }

// Window returns the sum of ln p of word k and of up to order-1 words after it. Only the
// probabilities of these words depend on word k. <eos> counts as a word, so k is from 0 to
// len(ids), the place of <eos>. If word k is replaced, Window changes by as much as LogProb does.
// But Window is faster, because it reads only about 2*order words, even of a long sentence.
func (m *Model) Window(ids []int64, k int) float64 {
	c := context{}
	from := k - m.Order() + 1
	if from < 0 {
		c, from = m.advance(c, corpus.BosID), 0
	}
	for _, id := range ids[from:k] {
		c = m.advance(c, m.classOf(id))
	}
	return m.sum(c, ids, k, min(k+m.Order()-1, len(ids)))
}

// sum returns the sum of ln p of the words with the indices from, from+1, ..., to, after the
// context c. Index len(ids) is <eos>.
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

// advance returns the context after one more word.
func (m *Model) advance(c context, word uint32) context {
	c, _ = m.step(c, word)
	return c
}

// step returns the context after one more word, and ln p of this word after c.
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

// Perplexity returns the perplexity of a text: exp of the mean of -ln p over words and sentence
// ends. It returns 1 if there are no sentences.
func (m *Model) Perplexity(sentences [][]int64) float64 {
	sum, n := 0.0, 0
	for _, s := range sentences {
		sum += m.LogProb(s)
		n += len(s) + 1
	}
	return math.Exp(-sum / float64(max(1, n)))
}
