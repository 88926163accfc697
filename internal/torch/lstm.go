package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// LSTM runs one layer over x [B, T, in] from zero states. It returns all states [B, T, D*H] and the
// last states [D, B, H], for D directions. weights are w_ih, w_hh, b_ih, b_hh, then the same four
// of the reverse direction. On a CPU with AVX-512 it uses our kernel, elsewhere libtorch's. Under
// Autocast our kernel takes bfloat16 factors if the CPU multiplies them. Results are float32. There
// is no second derivative.
func LSTM(x *Tensor, weights []*Tensor) (states, last *Tensor) {
	return lstm(x, weights, true)
}

// LSTMLast returns only the last states of LSTM, without storing all states.
func LSTMLast(x *Tensor, weights []*Tensor) *Tensor {
	_, last := lstm(x, weights, false)
	return last
}

// lstm is LSTM; states is nil unless they are wanted.
func lstm(x *Tensor, weights []*Tensor, wantStates bool) (states, last *Tensor) {
	const op = "lstm"
	allStates, lastStates, err := kernels.LSTM(x.raw(op), raws(op, weights), wantStates)
	mustKernel(op, err, append([]*Tensor{x}, weights...)...)
	if wantStates {
		states = adopt(handle(allStates))
	}
	return states, adopt(handle(lastStates))
}

// Cells are the LSTM states after n sentence prefixes: Hidden and Cell [n, H].
type Cells struct{ Hidden, Cell *Tensor }

// FirstCells returns the cells of n first words. The gates i, f, g, o of word i are row words[i] of
// table [V, 4H]. There are no gradients.
func FirstCells(table, words *Tensor) Cells {
	const op = "first cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), nil, nil, nil)
	mustKernel(op, err, table, words)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}

// Next returns the cells of n words. Word i follows the prefix with index parents[i] in the
// previous cells. Its gates are table[words[i]] + products[parents[i]], where products [m, 4H] are
// the first m previous hidden states times the recurrent weights.
func (previous Cells) Next(table, words, products, parents *Tensor) Cells {
	const op = "next cells"
	h, c, err := kernels.LSTMCell(
		table.raw(op), words.raw(op), products.raw(op), previous.Cell.raw(op), parents.raw(op),
	)
	mustKernel(op, err, table, words, products, previous.Cell, parents)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}
