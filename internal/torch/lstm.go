package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// LSTM runs one LSTM layer over x [B, T, in], beginning with zero states. For D directions, it
// returns all states [B, T, D*H] and the last states [D, B, H]. weights are w_ih, w_hh, b_ih and
// b_hh, followed by the same four of the reverse direction if D is 2. A CPU with AVX-512 uses our
// kernel. Other devices use libtorch's layer. Under Autocast, our kernel multiplies in bfloat16 if
// the CPU supports that. Results are always float32. The results cannot be differentiated twice.
func LSTM(x *Tensor, weights []*Tensor) (states, last *Tensor) {
	return lstm(x, weights, true)
}

// LSTMLast returns only the last states of LSTM and does not store the others.
func LSTMLast(x *Tensor, weights []*Tensor) *Tensor {
	_, last := lstm(x, weights, false)
	return last
}

// lstm does the same as LSTM, but returns nil for states if wantStates is not set.
func lstm(x *Tensor, weights []*Tensor, wantStates bool) (states, last *Tensor) {
	const op = "lstm"
	allStates, lastStates, err := kernels.LSTM(x.raw(op), raws(op, weights), wantStates)
	mustKernel(op, err, append([]*Tensor{x}, weights...)...)
	if wantStates {
		states = adopt(handle(allStates))
	}
	return states, adopt(handle(lastStates))
}

// Cells are the states of an LSTM after each of n prefixes of sentences. Hidden and Cell are both
// [n, H].
type Cells struct{ Hidden, Cell *Tensor }

// FirstCells returns the cells of n prefixes of one word each. Row words[k] of table [V, 4H] has
// the pre-activations of prefix k's gates i, f, g, o. Gradients are not recorded.
func FirstCells(table, words *Tensor) Cells {
	const op = "first cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), nil, nil, nil)
	mustKernel(op, err, table, words)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}

// Next returns the cells of n longer prefixes. Prefix k appends words[k] to the previous prefix
// with the index parents[k]. The pre-activations of its gates are table[words[k]] +
// products[parents[k]]. products [m, 4H] has the products of the first m previous hidden states and
// the recurrent weights.
func (previous Cells) Next(table, words, products, parents *Tensor) Cells {
	const op = "next cells"
	h, c, err := kernels.LSTMCell(
		table.raw(op), words.raw(op), products.raw(op), previous.Cell.raw(op), parents.raw(op),
	)
	mustKernel(op, err, table, words, products, previous.Cell, parents)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}
