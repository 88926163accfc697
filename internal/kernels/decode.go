package kernels

// #include "kernels.h"
import "C"

// Pack returns w [out, in] laid out as oneDNN wants it for products of about so many rows; nil
// where there is no oneDNN for it.
func Pack(w Handle, rows int64) (packed Handle, err error) {
	err = failure(C.kernels_pack((*C.handle)(&packed), C.handle(w), C.int64_t(rows)))
	return packed, err
}

// PackedProduct returns x w^T + b, or with relu max(0, x w^T + b), in float32; packed says that w
// comes from Pack.
func PackedProduct(x, w, b Handle, packed, relu bool) (y Handle, err error) {
	err = failure(C.kernels_packed_product((*C.handle)(&y), C.handle(x), C.handle(w), C.handle(b),
		flag(packed), flag(relu)))
	return y, err
}

// Attend has position i of q [n, d] attend to rows slots[start[i] : start[i]+length[i]] of kv [s,
// 2d], keys then values, or without slots to rows start[i] to start[i]+length[i].
func Attend(q, kv Handle, heads int64, slots, start, length []int32) (y Handle, err error) {
	err = failure(C.kernels_attend((*C.handle)(&y), C.handle(q), C.handle(kv), C.int64_t(heads), int32s(slots),
		C.int64_t(len(slots)), int32s(start), int32s(length), C.int64_t(len(start))))
	return y, err
}

func int32s(xs []int32) *C.int32_t {
	if len(xs) == 0 {
		return nil
	}
	return (*C.int32_t)(&xs[0])
}

// Likeliest returns what a search wants to know of the logits of x [n, in], [n, 2k+1]: for the
// first open rows the k largest values from word first on and those words, last for every row the
// value at its word of want. Values are logits or, with normalise, log p. want must not be empty.
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
