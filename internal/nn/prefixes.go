package nn

import (
	"cmp"
	"slices"
)

// Prefixes is sentences as a tree of what they begin with: what a recurrent network says of a word
// depends on the words before it alone, so that sentences which begin alike share it.
type Prefixes struct {
	Words  []int64 // of all sentences, each once
	Levels []Level
	// Ends has by sentence the place of its last word among the ends of all levels, level by level.
	Ends []int
}

// Level is the distinct prefixes of one length.
type Level struct {
	Words   []int64 // the last word of each, as a place in Prefixes.Words
	Parents []int64 // where the rest of each stands in the level before
	Going   int     // that many go on; they come first
	Ends    []int64 // those that are whole sentences
}

// NewPrefixes makes the tree of rows, none of them empty, read from their ends with backward.
func NewPrefixes(rows [][]int64, backward bool) *Prefixes {
	words, rows := distinct(rows)
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
	p := &Prefixes{Words: words, Ends: make([]int, len(rows))}
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
			if n := len(l.Ends); n == 0 || l.Ends[n-1] != node[k] { // equal sentences are neighbours
				l.Ends = append(l.Ends, node[k])
				ended++
			}
			p.Ends[i] = ended - 1
		}
		p.Levels, order = append(p.Levels, l), longer
	}
	return p
}

// newLevel makes the level of sentences in the order of a dictionary whose prefixes before it stand
// at parent, and returns where the prefix of each stands in it.
func newLevel(order []int, parent []int64, of func(i int) (word int64, last bool)) (l Level, node []int64) {
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
				place[n] = int64(len(l.Words))
				l.Words, l.Parents = append(l.Words, words[n]), append(l.Parents, parents[n])
			}
		}
		if first {
			l.Going = len(l.Words)
		}
	}
	for k := range node {
		node[k] = place[node[k]]
	}
	return l, node
}

// distinct returns the words of rows, each once, and rows of their places among these.
func distinct(rows [][]int64) (words []int64, placed [][]int64) {
	place := map[int64]int64{}
	placed = make([][]int64, len(rows))
	for i, row := range rows {
		placed[i] = make([]int64, len(row))
		for k, w := range row {
			at, seen := place[w]
			if !seen {
				at = int64(len(words))
				place[w], words = at, append(words, w)
			}
			placed[i][k] = at
		}
	}
	return words, placed
}
