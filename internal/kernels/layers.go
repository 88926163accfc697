package kernels

// #include "kernels.h"
import "C"

// Linear returns x w^T + b for x [..., in], w [out, in], b [out] or nil.
func Linear(x, w, b Handle) (y Handle, err error) {
	err = failure(C.kernels_linear((*C.handle)(&y), C.handle(x), C.handle(w), C.handle(b)))
	return y, err
}

// VocabLoss returns the sum or mean of -log softmax(x w^T + b)[target] for x [K, d], w [V, d], b
// [V] and Int64 targets [K].
func VocabLoss(x, w, b, target Handle, mean bool) (loss Handle, err error) {
	err = failure(C.kernels_vocab_loss((*C.handle)(&loss), C.handle(x), C.handle(w), C.handle(b),
		C.handle(target), flag(mean)))
	return loss, err
}

// Dropout zeroes elements with probability p and scales the rest by 1/(1-p).
func Dropout(x Handle, p float64) (y Handle, err error) {
	err = failure(C.kernels_dropout((*C.handle)(&y), C.handle(x), C.double(p)))
	return y, err
}

// MeanCosine returns the cosine of every vector of x [B, T, n] with the mean along dim, 0 or 1: [B,
// T].
func MeanCosine(x Handle, dim int64) (cosines Handle, err error) {
	err = failure(C.kernels_mean_cosine((*C.handle)(&cosines), C.handle(x), C.int64_t(dim)))
	return cosines, err
}

// LSTM runs one layer over x [B, T, in] from zero states: all states [B, T, D*H], nil unless they
// are wanted, and the last ones [D, B, H]. weights are w_ih, w_hh, b_ih, b_hh, then the same four
// of the reverse direction.
func LSTM(x Handle, weights []Handle, wantStates bool) (states, last Handle, err error) {
	err = failure(C.kernels_lstm((*C.handle)(&states), (*C.handle)(&last), C.handle(x), first(weights),
		C.int(len(weights)), flag(wantStates)))
	return states, last, err
}

// LSTMCell returns the states and cells [n, H] of rows whose gates i, f, g, o are table[words[i]] +
// products[parents[i]], of [V, 4H] and [m, 4H], after the cells [>= m, H] at parents[i]. products,
// cells and parents are nil at the first word.
func LSTMCell(table, words, products, cells, parents Handle) (hidden, cell Handle, err error) {
	err = failure(C.kernels_lstm_cell((*C.handle)(&hidden), (*C.handle)(&cell), C.handle(table), C.handle(words),
		C.handle(products), C.handle(cells), C.handle(parents)))
	return hidden, cell, err
}
