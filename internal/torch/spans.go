package torch

import (
	"fmt"

	lib "github.com/sugarme/gotch/libtch"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// Spans names the rows of a cache that each of N positions attends to: row i has
// Slots[Start[i]:Start[i]+Length[i]] or, where Slots is nil, rows Start[i] to Start[i]+Length[i]
// themselves. Spans may overlap, so that hypotheses share what they have in common.
type Spans struct{ Slots, Start, Length []int32 }

// Attend returns softmax(q k^T / sqrt(d/heads)) v of every row of q [N, d] with the rows of kv [S,
// 2d] that are its own, keys and then values, a head at a time: [N, d].
func Attend(q, kv *Tensor, heads int64, s Spans) *Tensor {
	if len(s.Start) != len(s.Length) {
		fail("attend", fmt.Sprintf("%d starts and %d lengths", len(s.Start), len(s.Length)), q, kv)
	}
	y, err := kernels.Attend(q.raw("attend"), kv.raw("attend"), heads, s.Slots, s.Start, s.Length)
	return made("attend", y, err, q, kv)
}

// EmptyRows returns a Float matrix [rows, columns] on t's device whose elements are not set.
func (t *Tensor) EmptyRows(rows, columns int64) *Tensor {
	return unary("empty", func(o *handle, h handle) {
		lib.AtgNewEmpty(o, h, []int64{rows, columns}, 2, int32(Float), int32(lib.AtDevice(h)))
	}, t)
}
