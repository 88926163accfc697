package nn

import (
	"cmp"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Prefixes is a tree of sentence prefixes. A recurrent network's state after some words depends
// only on these words, so sentences with the same beginning share states.
type Prefixes struct {
	Words  []int64 // the distinct words of all sentences
	Levels []Level
	// Ends[i] says where sentence i ends. It is an index into the concatenated Level.Ends of all
	// levels.
	Ends []int
}

// Level holds the distinct prefixes of one length.
type Level struct {
	Words      []int64 // last word of each prefix, as an index into Prefixes.Words
	Parents    []int64 // each prefix without its last word, as an index into the previous level
	Continuing int     // number of prefixes that longer sentences continue; these prefixes come first
	Ends       []int64 // indices of the prefixes that are whole sentences
}

// NewPrefixes builds the tree of rows. No row may be empty. If backward is set, rows are read from
// their ends.
func NewPrefixes(rows [][]int64, backward bool) *Prefixes {
	words, rows := distinct(rows)
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	wordAt := func(row []int64, t int) int64 {
		if backward {
			t = len(row) - 1 - t
		}
		return row[t]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := rows[a], rows[b]
		for t := range min(len(x), len(y)) {
			if c := cmp.Compare(wordAt(x, t), wordAt(y, t)); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	})
	p := &Prefixes{Words: words, Ends: make([]int, len(rows))}
	parent, ended := make([]int64, len(rows)), 0
	for t := 0; len(order) > 0; t++ {
		l, node := newLevel(order, parent, func(i int) (word int64, last bool) {
			return wordAt(rows[i], t), len(rows[i]) == t+1
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

// newLevel makes the next level from sentences in lexicographic order. order has the indices of the
// sentences. parent[i] is the index, in the previous level, of the prefix of sentence i. node[k] is
// the index, in the new level, of the prefix of sentence order[k].
func newLevel(order []int, parent []int64, wordOf func(i int) (word int64, last bool)) (l Level, node []int64) {
	node = make([]int64, len(order))
	var words, parents []int64
	var continues []bool
	for k, i := range order {
		word, last := wordOf(i)
		if n := len(words); n == 0 || words[n-1] != word || parents[n-1] != parent[i] {
			words, parents, continues = append(words, word), append(parents, parent[i]), append(continues, false)
		}
		node[k] = int64(len(words) - 1)
		continues[node[k]] = continues[node[k]] || !last
	}
	position := make([]int64, len(words))
	for _, wanted := range []bool{true, false} {
		for n, goesOn := range continues {
			if goesOn == wanted {
				position[n] = int64(len(l.Words))
				l.Words, l.Parents = append(l.Words, words[n]), append(l.Parents, parents[n])
			}
		}
		if wanted {
			l.Continuing = len(l.Words)
		}
	}
	for k := range node {
		node[k] = position[node[k]]
	}
	return l, node
}

// distinct returns the distinct words of rows, and the rows with each word replaced by its index in
// words.
func distinct(rows [][]int64) (words []int64, indices [][]int64) {
	index := map[int64]int64{}
	indices = make([][]int64, len(rows))
	for i, row := range rows {
		indices[i] = make([]int64, len(row))
		for k, w := range row {
			id, seen := index[w]
			if !seen {
				id = int64(len(words))
				index[w], words = id, append(words, w)
			}
			indices[i][k] = id
		}
	}
	return words, indices
}

// LastOf returns the result [N, Out] of Last for the word vectors of rows, without gradients. Rows
// may differ in length, but none may be empty. LastOf is faster than Last, because it computes the
// gate inputs of each distinct word once, and because sentences with the same beginning share
// states (in the reverse direction, sentences with the same end). Results may differ from those of
// Last by rounding.
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
		ids := make([]int64, len(rows))
		for i, end := range p.Ends {
			ids[i] = int64(end)
		}
		last = append(last, torch.Cat(0, ends...).Rows(torch.FromInts(ids, int64(len(ids)))))
	}
	return torch.Cat(1, last...), nil
}

// Run runs an LSTM down the tree. For every level, it calls the function visit with the states [n,
// H] after the level's prefixes. The states are freed after the next level has been computed. Other
// tensors that visit creates are freed when visit returns, unless it calls Keep. If the parameter
// "ends" is true, visit gets the states of all prefixes. Otherwise it gets the states of the
// prefixes that longer sentences continue, or nil if there are none. The parameter "weights" is
// w_ih, w_hh, b_ih, b_hh.
func (p *Prefixes) Run(
	e *Embedding, weights []*torch.Tensor, ends bool, visit func(l Level, states *torch.Tensor),
) error {
	most := 0
	for _, l := range p.Levels {
		most = max(most, l.Continuing)
	}
	r := newRecurrence(weights, most)
	table := r.inputs(e.Forward(torch.FromInts(p.Words, int64(len(p.Words)))))
	previous := 0
	for _, l := range p.Levels {
		err := torch.Scoped(func() error {
			n := len(l.Words)
			if !ends {
				n = l.Continuing
			}
			if n == 0 {
				visit(l, nil)
				return nil
			}
			parents := torch.FromInts(l.Parents[:n], int64(n))
			visit(l, r.step(table, l.Words[:n], previous, parents))
			return nil
		})
		if err != nil {
			return err
		}
		previous = l.Continuing
	}
	return nil
}

// recurrence runs one direction of an LSTM down a tree.
type recurrence struct {
	weights   []*torch.Tensor
	recurrent *torch.Packed
	cells     torch.Cells
}

func newRecurrence(w []*torch.Tensor, rows int) *recurrence {
	zeros := torch.Zeros(w[1].Size(0))
	return &recurrence{weights: w, recurrent: torch.Pack(w[1], zeros, torch.Packing{Rows: int64(rows)})}
}

// inputs returns the gate inputs [n, 4H] of x [n, in]. They include both biases.
func (r *recurrence) inputs(x *torch.Tensor) *torch.Tensor {
	return x.Linear(r.weights[0], r.weights[2].Add(r.weights[3]))
}

// step computes the states of the next level. words and parents are the Words and Parents of its
// prefixes. table has the gate inputs of each distinct word. previous is the number of prefixes of
// the previous level that longer sentences continue. These prefixes come first.
func (r *recurrence) step(table *torch.Tensor, words []int64, previous int, parents *torch.Tensor) *torch.Tensor {
	index, old := torch.FromInts(words, int64(len(words))), r.cells
	if old.Hidden == nil {
		r.cells = torch.FirstCells(table, index)
	} else {
		products := r.recurrent.Forward(old.Hidden.Narrow(0, 0, int64(previous)))
		r.cells = old.Next(table, index, products, parents)
		old.Hidden.Free()
		old.Cell.Free()
	}
	r.cells.Hidden.Keep()
	r.cells.Cell.Keep()
	return r.cells.Hidden
}
