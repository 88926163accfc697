package torch

// #include "decode.h"
import "C"

import "fmt"

// Spans names the rows of a cache that each of N positions attends to: row i has Slots[Start[i]:Start[i]+Length[i]] or, where Slots is
// nil, rows Start[i] to Start[i]+Length[i] themselves. Spans may overlap, so that hypotheses share what they have in common.
type Spans struct{ Slots, Start, Length []int32 }

// Attend returns softmax(q k^T / sqrt(d/heads)) v of every row of q [N, d] with the rows of kv [S, 2d] that are its own, keys and then
// values, a head at a time: [N, d].
func Attend(q, kv *Tensor, heads int64, s Spans) *Tensor { return attend(q, kv, heads, s, false) }

// attend with plain does it by libtorch's own operations, as on a device that is not a CPU.
func attend(q, kv *Tensor, heads int64, s Spans, plain bool) *Tensor {
	if len(s.Start) != len(s.Length) {
		fail("attend", fmt.Sprintf("%d starts and %d lengths", len(s.Start), len(s.Length)), q, kv)
	}
	var out handle
	must("attend", C.decode_attend(hp(&out), C.handle(q.ptr("attend")), C.handle(kv.ptr("attend")), C.int64_t(heads), int32s(s.Slots),
		C.int64_t(len(s.Slots)), int32s(s.Start), int32s(s.Length), C.int64_t(len(s.Start)), C.int(flag(plain))), q, kv)
	return adopt(out)
}

func int32s(xs []int32) *C.int32_t {
	if len(xs) == 0 {
		return nil
	}
	return (*C.int32_t)(&xs[0])
}

// EmptyRows returns a Float matrix [rows, columns] on t's device whose elements are not set.
func (t *Tensor) EmptyRows(rows, columns int64) *Tensor {
	var out handle
	must("empty", C.decode_empty(hp(&out), C.handle(t.ptr("empty")), C.int64_t(rows), C.int64_t(columns)))
	return adopt(out)
}
