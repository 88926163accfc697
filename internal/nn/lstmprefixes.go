package nn

import "github.com/smlm-exp/smlm-exp/internal/torch"

// LastOf returns what Last does of the vectors of rows, sentences of any length but 0, [N, Out],
// without gradients, for less work: what a word contributes is computed once for all its places,
// and states once for all sentences that begin, or for the reverse direction end, with the same
// words. Sums are in another order than Last's.
func (l *LSTM) LastOf(e *Embedding, rows [][]int64) *torch.Tensor {
	words, rows := distinct(rows)
	x := e.Forward(torch.FromInts(words, int64(len(words)))) // [V, in]
	var last []*torch.Tensor
	for d := 0; d < len(l.Weights); d += 4 {
		tree := newPrefixes(rows, d > 0)
		last = append(last, tree.last(x, l.Weights[d:d+4]))
	}
	return torch.Cat(1, last...)
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

// last returns every sentence's last state [N, H] of one direction with weights w_ih, w_hh, b_ih,
// b_hh, whose inputs are the rows of x [V, in].
func (p prefixes) last(x *torch.Tensor, w []*torch.Tensor) *torch.Tensor {
	table := x.Linear(w[0], w[2].Add(w[3]))
	most := 0
	for _, l := range p.levels {
		most = max(most, l.going)
	}
	recurrent := torch.Pack(w[1], torch.Zeros(w[1].Size(0)), torch.Packing{Rows: int64(most)})
	var at torch.Cells
	var ends []*torch.Tensor
	for t, l := range p.levels {
		words := torch.FromInts(l.words, int64(len(l.words)))
		if t == 0 {
			at = torch.FirstCells(table, words)
		} else {
			going := at.Hidden.Narrow(0, 0, int64(p.levels[t-1].going))
			products := recurrent.Forward(going)
			next := at.Next(table, words, products, torch.FromInts(l.parents, int64(len(l.parents))))
			for _, done := range []*torch.Tensor{going, products, at.Hidden, at.Cell} {
				done.Free() // or memory would grow with the longest sentence
			}
			at = next
		}
		if len(l.ends) > 0 {
			ends = append(ends, at.Hidden.Rows(torch.FromInts(l.ends, int64(len(l.ends)))))
		}
	}
	of := make([]int64, len(p.ends))
	for i, e := range p.ends {
		of[i] = int64(e)
	}
	return torch.Cat(0, ends...).Rows(torch.FromInts(of, int64(len(of))))
}
