package nn

import (
	"cmp"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Prefixes is a tree of sentence prefixes. A recurrent network's state at a word depends only on
// the words up to it, so sentences with the same beginning share it.
type Prefixes struct {
	Words  []int64 // the distinct words of all sentences
	Levels []Level
	// Ends has, for each sentence, its index in the list of all Level.Ends, joined in the order of
	// the levels.
	Ends []int
}

// Level is the distinct prefixes of one length.
type Level struct {
	Words   []int64 // last words, as indices of Prefixes.Words
	Parents []int64 // prefixes without last words, as indices of the level before
	Going   int     // number of prefixes that go on; they come first
	Ends    []int64 // indices of those that are whole sentences
}

// NewPrefixes makes the tree of rows, none of which is empty. With backward, rows are read from
// their ends.
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

// newLevel makes the next level from sentences in lexicographic order, given the index of each
// prefix in the level before. It also returns their indices in this level.
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

// distinct returns the distinct words of rows, and rows of indices into them.
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

// LastOf returns what Last returns for the vectors of rows, [N, Out], with less work and without
// gradients. Rows may differ in length, but none is empty. A word's gate inputs are computed once
// for all its places, and states once for all sentences with the same beginning or, in the reverse
// direction, the same end. Sums add up in another order than in Last.
func (l *LSTM) LastOf(e *Embedding, rows [][]int64) (*torch.Tensor, error) {
	var last []*torch.Tensor
	for d := 0; d < len(l.Weights); d += 4 {
		p := NewPrefixes(rows, d > 0)
		var ends []*torch.Tensor
		err := p.Run(e, l.Weights[d:d+4], true, func(level Level, states *torch.Tensor) {
			if n := int64(len(level.Ends)); n > 0 {
				ends = append(ends, states.Rows(torch.FromInts(level.Ends, n)).Keep())
			}
		})
		if err != nil {
			return nil, err
		}
		of := make([]int64, len(rows))
		for i, end := range p.Ends {
			of[i] = int64(end)
		}
		last = append(last, torch.Cat(0, ends...).Rows(torch.FromInts(of, int64(len(of)))))
	}
	return torch.Cat(1, last...), nil
}

// Run runs an LSTM down the tree. For every level it calls see, in a scope of its own, with the
// states [n, H] after the level's words; they are freed at the next level. With ends, these are the
// states of all prefixes, else only of those that go on, or nil if none does. The weights are w_ih,
// w_hh, b_ih, b_hh.
func (p *Prefixes) Run(
	e *Embedding, weights []*torch.Tensor, ends bool, see func(l Level, states *torch.Tensor),
) error {
	most := 0
	for _, l := range p.Levels {
		most = max(most, l.Going)
	}
	r := newRecurrence(weights, most)
	table := r.inputs(e.Forward(torch.FromInts(p.Words, int64(len(p.Words)))))
	before := 0
	for _, l := range p.Levels {
		err := torch.Scoped(func() error {
			n := len(l.Words)
			if !ends {
				n = l.Going
			}
			if n == 0 {
				see(l, nil)
				return nil
			}
			parents := torch.FromInts(l.Parents[:n], int64(n))
			see(l, r.step(table, l.Words[:n], before, parents))
			return nil
		})
		if err != nil {
			return err
		}
		before = l.Going
	}
	return nil
}

// recurrence is one direction of an LSTM that runs down a tree.
type recurrence struct {
	weights   []*torch.Tensor
	recurrent *torch.Packed
	at        torch.Cells
}

func newRecurrence(w []*torch.Tensor, rows int) *recurrence {
	none := torch.Zeros(w[1].Size(0))
	return &recurrence{weights: w, recurrent: torch.Pack(w[1], none, torch.Packing{Rows: int64(rows)})}
}

// inputs returns the gate inputs of x [n, in], both biases included: [n, 4H].
func (r *recurrence) inputs(x *torch.Tensor) *torch.Tensor {
	return x.Linear(r.weights[0], r.weights[2].Add(r.weights[3]))
}

// step moves to the next level and returns its states. words are the rows of table for the last
// words of its prefixes. going is how many prefixes of the level before go on; they come first.
func (r *recurrence) step(table *torch.Tensor, words []int64, going int, parents *torch.Tensor) *torch.Tensor {
	index, old := torch.FromInts(words, int64(len(words))), r.at
	if old.Hidden == nil {
		r.at = torch.FirstCells(table, index)
	} else {
		products := r.recurrent.Forward(old.Hidden.Narrow(0, 0, int64(going)))
		r.at = old.Next(table, index, products, parents)
		old.Hidden.Free()
		old.Cell.Free()
	}
	r.at.Hidden.Keep()
	r.at.Cell.Keep()
	return r.at.Hidden
}
