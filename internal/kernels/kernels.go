// Package kernels holds C++ code that is faster than libtorch's own operations. Each C++ header
// covers one subject, and says what it computes and what it replaces in libtorch. All headers are
// compiled as one unit (kernels.cpp). docs/decisions/014-own-kernels.md has a table of the gains.
//
// Only internal/torch calls these functions to compute. It owns the tensors whose handles the
// functions take, and must free the handles that the functions return.
package kernels

/*
#cgo CXXFLAGS: -std=c++17 -O3 -fopenmp-simd
#include <stdlib.h>
#include "kernels.h"
*/
import "C"

import (
	"errors"
	"os"
	"unsafe"

	_ "github.com/smlm-exp/smlm-exp/internal/need" // makes the build fail with a helpful error if libtorch is missing
)

// Handle is a torch::Tensor*, like gotch's Ctensor.
type Handle = unsafe.Pointer

// failure returns an error with the message msg, or nil if msg is nil.
func failure(msg *C.char) error {
	if msg == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(msg))
	return errors.New(C.GoString(msg))
}

// first returns the address of the first handle, or nil if there are no handles.
func first(hs []Handle) *C.handle {
	if len(hs) == 0 {
		return nil
	}
	return (*C.handle)(&hs[0])
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// CPU returns the instruction set that the kernels use: "AVX512", "AVX2" or "SSE2". This is the
// best one of the CPU that the environment variables ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA and
// MKL_ENABLE_INSTRUCTIONS allow (isa.h).
func CPU() string { return C.GoString(C.kernels_cpu()) }

// BF16 reports whether the CPU multiplies bfloat16 in hardware and the environment variables of
// libtorch and oneDNN allow it.
func BF16() bool { return C.kernels_bf16() != 0 }

// MakesBF16 reports whether the bfloat16 products of a training step work on the CPU, even if
// slowly.
func MakesBF16() bool { return C.kernels_makes_bf16() != 0 }

// KeepHeap makes the process keep freed memory for the next training step (heap.cpp). Call it
// before any other use of libtorch.
func KeepHeap() { C.kernels_keep_heap() }

// oneDNN compiles code for each shape of a matrix product, and caches the code for the most recent
// shapes. By default it keeps the code for 1,024 shapes, which takes up to a few MB per shape, and
// batches of sentences have many shapes. With 64 shapes, training is as fast for models of the
// paper's sizes and a little slower for the small models of the demo (docs/results/speed.md).
const (
	shapesKept = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
	fewShapes  = "64"
)

// KeepFewShapes limits oneDNN's cache of compiled matrix products, unless the user has set the
// environment variable of this cache. Call it before the first matrix product, because oneDNN reads
// the variable then.
func KeepFewShapes() {
	if os.Getenv(shapesKept) == "" {
		_ = os.Setenv(shapesKept, fewShapes) // fails only for invalid names and values
	}
}

// Trim gives free memory back to the system (heap.cpp).
func Trim() { C.kernels_trim() }

// Linear returns x w^T + b for x [..., in], w [out, in] and b, which is [out] or nil.
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

// Dropout zeroes elements with probability p and scales the others by 1/(1-p).
func Dropout(x Handle, p float64) (y Handle, err error) {
	err = failure(C.kernels_dropout((*C.handle)(&y), C.handle(x), C.double(p)))
	return y, err
}

// MeanCosine returns, for x [B, T, n], the cosine between each vector and the mean of the vectors
// over T: [B, T].
func MeanCosine(x Handle) (cosines Handle, err error) {
	err = failure(C.kernels_mean_cosine((*C.handle)(&cosines), C.handle(x)))
	return cosines, err
}

// LSTM runs one layer over x [B, T, in], beginning with zero states. It returns the last states [D,
// B, H] and, if wantStates is set, all states [B, T, D*H]. weights are w_ih, w_hh, b_ih and b_hh,
// followed by the same four of the reverse direction if D is 2.
func LSTM(x Handle, weights []Handle, wantStates bool) (states, last Handle, err error) {
	err = failure(C.kernels_lstm((*C.handle)(&states), (*C.handle)(&last), C.handle(x), first(weights),
		C.int(len(weights)), flag(wantStates)))
	return states, last, err
}

// LSTMCell computes the next states of n rows: hidden and cell, both [n, H]. The pre-activations of
// row i's gates i, f, g, o are table[words[i]] + products[parents[i]], and its previous cell is
// cells[parents[i]]. table is [V, 4H], products is [m, 4H], and cells has at least m rows of H
// numbers. At the first word, products, cells and parents are nil.
func LSTMCell(table, words, products, cells, parents Handle) (hidden, cell Handle, err error) {
	err = failure(C.kernels_lstm_cell((*C.handle)(&hidden), (*C.handle)(&cell), C.handle(table), C.handle(words),
		C.handle(products), C.handle(cells), C.handle(parents)))
	return hidden, cell, err
}

// Adam holds the settings of step t: the learning rate and the decay rates of the moments. Bias1 is
// 1 - Beta1^t and Bias2 is 1 - Beta2^t.
type Adam struct {
	LR, Beta1, Beta2, Eps, Bias1, Bias2 float64
	MaxNorm                             float64 // maximum norm of all gradients together; 0 means no limit
}

// Step changes all params that have a gradient, and their moments m and v. It returns the joint
// norm of the gradients before clipping. If this norm is not finite, nothing changes, and bad is
// the index of the first bad parameter. Otherwise bad is -1.
func (a Adam) Step(params, m, v []Handle) (norm float64, bad int, err error) {
	var cnorm C.double
	var cbad C.int64_t
	err = failure(C.kernels_adam(
		first(params), first(m), first(v), C.int(len(params)),
		C.double(a.LR), C.double(a.Beta1), C.double(a.Beta2), C.double(a.Eps),
		C.double(a.Bias1), C.double(a.Bias2), C.double(a.MaxNorm), &cnorm, &cbad,
	))
	return float64(cnorm), int(cbad), err
}

// Pack returns w [out, in] in the layout that oneDNN prefers for products with about the given
// number of rows. It returns nil if oneDNN is not used for such products.
func Pack(w Handle, rows int64) (packed Handle, err error) {
	err = failure(C.kernels_pack((*C.handle)(&packed), C.handle(w), C.int64_t(rows)))
	return packed, err
}

// PackedProduct returns x w^T + b in float32 or, if relu is set, max(0, x w^T + b) in the type of
// the weights. Set packed if w comes from Pack.
func PackedProduct(x, w, b Handle, packed, relu bool) (y Handle, err error) {
	err = failure(C.kernels_packed_product((*C.handle)(&y), C.handle(x), C.handle(w), C.handle(b),
		flag(packed), flag(relu)))
	return y, err
}

// Attend computes attention from q [n, d] to rows of kv [s, 2d]. A row of kv has the keys first and
// then the values. Position i attends to the rows slots[start[i] : start[i]+length[i]] or, if slots
// is empty, to the length[i] rows from start[i] on. If half is set, scores and weights are rounded
// to bfloat16.
func Attend(q, kv Handle, heads int64, slots, start, length []int32, half bool) (y Handle, err error) {
	err = failure(C.kernels_attend((*C.handle)(&y), C.handle(q), C.handle(kv), C.int64_t(heads), int32s(slots),
		C.int64_t(len(slots)), int32s(start), int32s(length), C.int64_t(len(start)), flag(half)))
	return y, err
}

func int32s(xs []int32) *C.int32_t {
	if len(xs) == 0 {
		return nil
	}
	return (*C.int32_t)(&xs[0])
}

// Likeliest computes the logits of x [n, in] and returns a matrix [n, 2k+1]. In rows 0 to open-1,
// the first k numbers are the k largest values among the words from firstWord on, and the next k
// numbers are the indices of these words. The last number of row i is the value of the word
// want[i]. Values are logits or, if normalise is set, log p. The list want must not be empty.
func Likeliest(
	x, w, b Handle, packed bool, want []int64, open, firstWord, k int64, normalise bool,
) (rows Handle, err error) {
	err = failure(C.kernels_likeliest(
		(*C.handle)(&rows), C.handle(x), C.handle(w), C.handle(b), flag(packed),
		(*C.int64_t)(&want[0]), C.int64_t(len(want)),
		C.int64_t(open), C.int64_t(firstWord), C.int64_t(k), flag(normalise),
	))
	return rows, err
}
