package torch

// #include "cuda.h"
import "C"

// lstmWhole is LSTM as one call of at::lstm, in float32 whatever autocast says; on CUDA that is cuDNN's.
func lstmWhole(x *Tensor, weights []*Tensor) (states, last *Tensor) {
	var out [3]handle
	must("lstm", C.shim_lstm_whole(hp(&out[0]), C.handle(x.ptr("lstm")), first(handles("lstm", weights)), C.int(len(weights))),
		append([]*Tensor{x}, weights...)...)
	states, last = adopt(out[0]), adopt(out[1])
	adopt(out[2]).Free()
	return states, last
}
