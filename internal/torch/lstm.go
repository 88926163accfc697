package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// LSTM runs one LSTM layer over x [B, T, in], beginning with zero states. For D directions, it
// returns all states [B, T, D*H] and the last states [D, B, H]. weights are w_ih, w_hh, b_ih and
// b_hh, followed by the same four of the reverse direction if D is 2. A CPU with AVX-512 uses our
// kernel. Other devices use libtorch's layer. Under Autocast our kernel multiplies in bfloat16 if
// the CPU can. Results are float32. There is no second derivative.
func LSTM(x *Tensor, weights []*Tensor) (states, last *Tensor) {
	return lstm(x, weights, true)
}

// LSTMLast returns only the last states of LSTM and does not store the others.
func LSTMLast(x *Tensor, weights []*Tensor) *Tensor {
	_, last := lstm(x, weights, false)
	return last
}

// lstm is LSTM, but states is nil if wantStates is not set.
func lstm(x *Tensor, weights []*Tensor, wantStates bool) (states, last *Tensor) {
	const op = "lstm"
	allStates, lastStates, err := kernels.LSTM(x.raw(op), raws(op, weights), wantStates)
	mustKernel(op, err, append([]*Tensor{x}, weights...)...)
	if wantStates {
		states = adopt(handle(allStates))
	}
	return states, adopt(handle(lastStates))
}

// Cells are the LSTM states after n prefixes of sentences. Hidden and Cell are [n, H].
type Cells struct{ Hidden, Cell *Tensor }

// FirstCells returns the cells after n first words. Row words[i] of table [V, 4H] has the gates i,
// f, g, o of word i. Gradients are not recorded.
func FirstCells(table, words *Tensor) Cells {
	const op = "first cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), nil, nil, nil)
	mustKernel(op, err, table, words)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}

// Next returns the cells after n further words. Word i follows the prefix with index parents[i] in
// the previous cells. Its gates are table[words[i]] + products[parents[i]]. products [m, 4H] are
// the first m previous hidden states times the recurrent weights.
func (previous Cells) Next(table, words, products, parents *Tensor) Cells {
	const op = "next cells"
	h, c, err := kernels.LSTMCell(
		table.raw(op), words.raw(op), products.raw(op), previous.Cell.raw(op), parents.raw(op),
	)
	mustKernel(op, err, table, words, products, previous.Cell, parents)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}
