package ngram

import (
	"cmp"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// tokens writes the sentences after each other, each between <bos> and <eos>.
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

// nowhere is the number of an n-gram that would go beyond its sentence.
const nowhere = 1<<32 - 1

// occurrence is an n-gram of the text: the number of it without its last word and that word, and
// where it begins.
type occurrence struct {
	gram uint64
	at   uint32
}

// count returns the trie of a text's n-grams with how often it has each. An n-gram's number is its
// rank in the order of prefix and last word, so sorting those of one length makes a level.
func count(text []uint32, order, vocab int) []level {
	levels := make([]level, order)
	levels[0].count = make([]uint32, vocab)
	for _, w := range text {
		levels[0].count[w]++
	}
	number, shorter := slices.Clone(text), make([]uint32, len(text)) // of the n-grams that begin at a place
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
		l, before := &levels[k], &levels[k-1]
		before.first = make([]uint32, len(before.count)+1)
		for j, o := range found {
			if j == 0 || o.gram != found[j-1].gram {
				l.word = append(l.word, uint32(o.gram))
				l.count = append(l.count, 0)
				l.suffix = append(l.suffix, shorter[o.at+1])
				before.first[o.gram>>32+1]++
			}
			last := len(l.count) - 1
			l.count[last]++
			number[o.at] = uint32(last)
		}
		for i := range before.count {
			before.first[i+1] += before.first[i]
		}
	}
	return levels
}

// adjust puts the number of words before an n-gram in the place of how often the text has it, for
// all that are shorter than the order and do not begin with <bos>.
func (m *Model) adjust() {
	from, to := uint32(corpus.BosID), uint32(corpus.BosID+1) // those that begin with <bos>
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
