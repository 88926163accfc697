package ngram

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// sound says whether the levels are a trie of counted n-grams, each with its suffix.
func (m *Model) sound() bool {
	if m.vocab < corpus.NumSpecial || m.vocab > math.MaxInt32 {
		return false
	}
	for k := range m.Order() - 1 {
		l, next := &m.levels[k], &m.levels[k+1]
		n := len(next.word)
		if len(next.count) != n || len(next.suffix) != n || len(l.first) != len(l.count)+1 || l.first[0] != 0 ||
			l.first[len(l.count)] != uint32(n) || !slices.IsSorted(l.first) || slices.Contains(next.count, 0) {
			return false
		}
		for i := range l.count {
			for c := l.first[i]; c < l.first[i+1]; c++ {
				w := next.word[c]
				if int(w) >= m.vocab || !predicted(w) || c > l.first[i] && w <= next.word[c-1] || !m.ends(k, i, c) {
					return false
				}
			}
		}
	}
	return true
}

// ends says whether the suffix of n-gram c, which goes on from n-gram i of level k, goes on from
// the suffix of that by the same word.
func (m *Model) ends(k, i int, c uint32) bool {
	l, next := &m.levels[k], &m.levels[k+1]
	s, word := next.suffix[c], next.word[c]
	if k == 0 { // of two words it is the second
		return s == word
	}
	from := m.levels[k-1].first[l.suffix[i]:]
	return s >= from[0] && s < from[1] && l.word[s] == word
}
