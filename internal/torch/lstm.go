package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// LSTM runs one layer over x [B, T, in] from zero states and returns all states [B, T, H] (2H with
// both directions) and the last ones [D, B, H], D directions. weights are w_ih, w_hh, b_ih, b_hh,
// then the same four of the reverse direction. On a CPU with AVX-512 it is package kernels' own,
// elsewhere libtorch's; under Autocast its products take bfloat16 factors where the CPU multiplies
// them. What comes back is float32. There is no second derivative.
func LSTM(x *Tensor, weights []*Tensor) (states, last *Tensor) {
	return lstm(x, weights, true)
}

// LSTMLast returns the last states of LSTM alone; all of them are then never written.
func LSTMLast(x *Tensor, weights []*Tensor) *Tensor {
	_, last := lstm(x, weights, false)
	return last
}

// lstm is LSTM; states is nil unless they are wanted.
func lstm(x *Tensor, weights []*Tensor, wantStates bool) (states, last *Tensor) {
	const op = "lstm"
	all, end, err := kernels.LSTM(x.raw(op), raws(op, weights), wantStates)
	mustKernel(op, err, append([]*Tensor{x}, weights...)...)
	if wantStates {
		states = adopt(handle(all))
	}
	return states, adopt(handle(end))
}

// Cells are the states of an LSTM after one more word of many sentences: Hidden and Cell [n, H].
type Cells struct{ Hidden, Cell *Tensor }

// FirstCells returns the cells of n first words: gates i, f, g, o are the rows of table [V, 4H]
// that words [n] name. There are no gradients.
func FirstCells(table, words *Tensor) Cells {
	const op = "first cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), nil, nil, nil)
	mustKernel(op, err, table, words)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}

// Next returns the cells of n words after those of before at parents [n]: gates are table[words] +
// products[parents], where products [m, 4H] are of the first m states of before with the recurrent
// weights.
func (before Cells) Next(table, words, products, parents *Tensor) Cells {
	const op = "next cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), products.raw(op), before.Cell.raw(op), parents.raw(op))
	mustKernel(op, err, table, words, products, before.Cell, parents)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}
