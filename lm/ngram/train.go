package ngram

import (
	"cmp"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// tokens concatenates the sentences, each between <bos> and <eos>. It replaces <mask> by <unk>.
func tokens(sentences [][]int64, vocab int) []uint32 {
	m, n := Model{vocab: vocab}, 0
	for _, s := range sentences {
		n += len(s) + 2
	}
	out := make([]uint32, 0, n)
	for _, s := range sentences {
		out = append(out, corpus.BosID)
		for _, id := range s {
			w := m.classOf(id)
			if w == corpus.MaskID {
				w = corpus.UnkID
			}
			out = append(out, w)
		}
		out = append(out, corpus.EosID)
	}
	return out
}

// The number nowhere marks a place where no n-gram begins, because it would extend beyond its
// sentence.
const nowhere = 1<<32 - 1

// occurrence is an n-gram at a place of the text. The upper 32 bits of gram are the index of the
// n-gram's prefix, and the lower 32 bits are its last word. start is the place where the n-gram
// begins.
type occurrence struct {
	gram  uint64
	start uint32
}

// count returns the trie of a text's n-grams with their frequencies. The n-grams of one length are
// sorted by the index of their prefix and then by their last word. The index of an n-gram is its
// place in this order.
func count(text []uint32, order, vocab int) []level {
	levels := make([]level, order)
	levels[0].count = make([]uint32, vocab)
	for _, w := range text {
		levels[0].count[w]++
	}
	number, shorter := slices.Clone(text), make([]uint32, len(text)) // for each place, the index of the n-gram there
	found := make([]occurrence, 0, len(text))
	for k := 1; k < order; k++ {
		found, number, shorter = found[:0], shorter, number
		for i, n := range shorter {
			number[i] = nowhere
			if n != nowhere && text[i+k-1] != corpus.EosID {
				found = append(found, occurrence{uint64(n)<<32 | uint64(text[i+k]), uint32(i)})
			}
		}
		slices.SortFunc(found, func(a, b occurrence) int { return cmp.Compare(a.gram, b.gram) })
		l, shorterLevel := &levels[k], &levels[k-1]
		shorterLevel.first = make([]uint32, len(shorterLevel.count)+1)
		for j, o := range found {
			if j == 0 || o.gram != found[j-1].gram {
				l.word = append(l.word, uint32(o.gram))
				l.count = append(l.count, 0)
				l.suffix = append(l.suffix, shorter[o.start+1])
				shorterLevel.first[o.gram>>32+1]++
			}
			last := len(l.count) - 1
			l.count[last]++
			number[o.start] = uint32(last)
		}
		for i := range shorterLevel.count {
			shorterLevel.first[i+1] += shorterLevel.first[i]
		}
	}
	return levels
}

// adjust replaces the frequency of an n-gram by the number of different words before it. It does
// not change n-grams of the greatest length or n-grams that begin with <bos>.
func (m *Model) adjust() {
	from, to := uint32(corpus.BosID), uint32(corpus.BosID+1) // n-grams that begin with <bos>
	for k := range m.Order() - 1 {
		l := &m.levels[k]
		clear(l.count[:from])
		clear(l.count[to:])
		for _, s := range m.levels[k+1].suffix {
			l.count[s]++
		}
		from, to = l.first[from], l.first[to]
	}
}

// discounts holds D(k) of the package comment at index k. The last discount also applies to all
// greater counts.
type discounts [4]float64

// forCount returns the discount of a count.
func (d *discounts) forCount(count uint32) float64 { return d[min(count, 3)] }

// estimate returns the discounts for the counts of n-grams of one length.
func estimate(counts []uint32) discounts {
	var frequency [5]float64 // number of n-grams by count
	for _, c := range counts {
		if c < uint32(len(frequency)) {
			frequency[c]++
		}
	}
	y := frequency[1] / (frequency[1] + 2*frequency[2])
	var d discounts
	for k := 1; k < len(d); k++ {
		d[k] = float64(k) - float64(k+1)*y*frequency[k+1]/frequency[k]
		if frequency[k+1] == 0 || !(d[k] > 0 && d[k] <= float64(k)) { // the negation also catches a d[k] that is NaN
			return discounts{0, 0.5, 1, 1.5}
		}
	}
	return d
}

// weigh computes the probabilities from the counts, starting with the shortest n-grams.
func (m *Model) weigh() {
	words := &m.levels[0]
	classes := float64(m.vocab - corpus.NumSpecial + 2)
	counts := make([]uint32, m.vocab) // counts of the words that can come next
	for w := range counts {
		if predicted(uint32(w)) {
			counts[w] = words.count[w]
		}
	}
	p, _ := interpolate(counts, estimate(counts), func(int) float64 { return 1 / classes })
	for k := range m.levels {
		l := &m.levels[k]
		l.logp = logs(p)
		if k+1 == m.Order() {
			return
		}
		next := &m.levels[k+1]
		l.backoff = make([]float32, len(l.count))
		d, longer := estimate(next.count), make([]float64, len(next.word))
		for i := range l.count {
			from, to := l.first[i], l.first[i+1]
			if from == to {
				continue
			}
			suffix := next.suffix[from:to]
			probs, gamma := interpolate(next.count[from:to], d, func(c int) float64 { return p[suffix[c]] })
			copy(longer[from:to], probs)
			l.backoff[i] = float32(math.Log(gamma))
		}
		p = longer
	}
}

// interpolate computes p and gamma of one context from the counts of the words after this context.
// p holds the probability of each word. The function shorterProb returns a word's probability after
// the context without its first word. If all counts are 0, p holds the probabilities from
// shorterProb.
func interpolate(counts []uint32, d discounts, shorterProb func(int) float64) (p []float64, gamma float64) {
	sum, kept := 0.0, 0.0
	for _, c := range counts {
		sum += float64(c)
		kept += d.forCount(c)
	}
	gamma = 1
	if sum > 0 {
		gamma = kept / sum
	}
	p = make([]float64, len(counts))
	for i, c := range counts {
		p[i] = gamma * shorterProb(i)
		if c > 0 {
			p[i] += (float64(c) - d.forCount(c)) / sum
		}
	}
	return p, gamma
}

func logs(p []float64) []float32 {
	out := make([]float32, len(p))
	for i := range p {
		out[i] = float32(math.Log(p[i]))
	}
	return out
}
