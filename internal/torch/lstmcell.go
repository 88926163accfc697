package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// Cells are the states of an LSTM after one more word of many sentences: Hidden and Cell [n, H].
type Cells struct{ Hidden, Cell *Tensor }

// FirstCells returns the cells of n first words: gates i, f, g, o are the rows of table [V, 4H]
// that words [n] name. There are no gradients.
func FirstCells(table, words *Tensor) Cells {
	const op = "first cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), nil, nil, nil)
	worked(op, err, table, words)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}

// Next returns the cells of n words after those of before at parents [n]: gates are table[words] +
// products[parents], where products [m, 4H] are of the first m states of before with the recurrent
// weights.
func (before Cells) Next(table, words, products, parents *Tensor) Cells {
	const op = "next cells"
	h, c, err := kernels.LSTMCell(table.raw(op), words.raw(op), products.raw(op), before.Cell.raw(op), parents.raw(op))
	worked(op, err, table, words, products, before.Cell, parents)
	return Cells{adopt(handle(h)), adopt(handle(c))}
}
