package torch

// #include "lstm.h"
import "C"

// route is how lstm computes; see lstm.h.
type route C.int

const (
	fastRoute  route = C.lstm_fast
	plainRoute route = C.lstm_plain // libtorch's own, for comparison
)

// LSTM runs one layer over x [B, T, in] from zero states and returns all states [B, T, H] (2H with both directions) and
// the last ones [D, B, H], D directions. weights are w_ih, w_hh, b_ih, b_hh, then the same four of the reverse direction. On a CPU
// with AVX-512 it is this package's own (lstm.cpp), elsewhere libtorch's; under Autocast its products take bfloat16
// factors where the CPU multiplies them. What comes back is float32. There is no second derivative.
func LSTM(x *Tensor, weights []*Tensor) (states, last *Tensor) {
	return lstm(x, weights, true, fastRoute)
}

// LSTMLast returns the last states of LSTM alone; all of them are then never written.
func LSTMLast(x *Tensor, weights []*Tensor) *Tensor {
	_, last := lstm(x, weights, false, fastRoute)
	return last
}

// lstm is LSTM by a route; states is nil unless they are wanted.
func lstm(x *Tensor, weights []*Tensor, wantStates bool, by route) (states, last *Tensor) {
	var all, end handle
	must("lstm", C.shim_lstm(hp(&all), hp(&end), C.handle(x.ptr("lstm")), first(handles("lstm", weights)), C.int(len(weights)),
		C.int(flag(wantStates)), C.int(by)), append([]*Tensor{x}, weights...)...)
	if wantStates {
		states = adopt(all)
	}
	return states, adopt(end)
}
