package nn

import (
	"cmp"
	"slices"
)

// prefixes is sentences as a tree of what they begin with: what a recurrent network says of a word
// depends on the words before it alone, so that sentences which begin alike share it.
type prefixes struct {
	levels []level
	ends   []int // by sentence, the place of its last word among the ends of all levels, level by level
}

// level is the distinct prefixes of one length.
type level struct {
	words   []int64 // the last word of each
	parents []int64 // where the rest of each stands in the level before
	going   int     // that many go on; they come first
	ends    []int64 // those that are whole sentences
}

// newPrefixes makes the tree of rows, none of them empty, read from their ends with backward.
func newPrefixes(rows [][]int64, backward bool) prefixes {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	at := func(row []int64, t int) int64 {
		if backward {
			t = len(row) - 1 - t
		}
		return row[t]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := rows[a], rows[b]
		for t := range min(len(x), len(y)) {
			if c := cmp.Compare(at(x, t), at(y, t)); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	})
	p := prefixes{ends: make([]int, len(rows))}
	parent, ended := make([]int64, len(rows)), 0
	for t := 0; len(order) > 0; t++ {
		l, node := newLevel(order, parent, func(i int) (word int64, last bool) {
			return at(rows[i], t), len(rows[i]) == t+1
		})
		var longer []int
		for k, i := range order {
			parent[i] = node[k]
			if len(rows[i]) > t+1 {
				longer = append(longer, i)
				continue
			}
			if n := len(l.ends); n == 0 || l.ends[n-1] != node[k] { // equal sentences are neighbours
				l.ends = append(l.ends, node[k])
				ended++
			}
			p.ends[i] = ended - 1
		}
		p.levels, order = append(p.levels, l), longer
	}
	return p
}

// newLevel makes the level of sentences in the order of a dictionary whose prefixes before it stand
// at parent, and returns where the prefix of each stands in it.
func newLevel(order []int, parent []int64, of func(i int) (word int64, last bool)) (l level, node []int64) {
	node = make([]int64, len(order))
	var words, parents []int64
	var goes []bool
	for k, i := range order {
		word, last := of(i)
		if n := len(words); n == 0 || words[n-1] != word || parents[n-1] != parent[i] {
			words, parents, goes = append(words, word), append(parents, parent[i]), append(goes, false)
		}
		node[k] = int64(len(words) - 1)
		goes[node[k]] = goes[node[k]] || !last
	}
	place := make([]int64, len(words))
	for _, first := range []bool{true, false} {
		for n, going := range goes {
			if going == first {
				place[n] = int64(len(l.words))
				l.words, l.parents = append(l.words, words[n]), append(l.parents, parents[n])
			}
		}
		if first {
			l.going = len(l.words)
		}
	}
	for k := range node {
		node[k] = place[node[k]]
	}
	return l, node
}
