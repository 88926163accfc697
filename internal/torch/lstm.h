// One LSTM layer; see lstm.cpp.
#pragma once
#include "shim.h"
#ifdef __cplusplus
extern "C" {
#endif
// How lstm computes: the fastest way for the device and CPU, or always libtorch's own, which on CUDA is cuDNN's.
enum { lstm_fast = 0, lstm_plain = 1 };
// states gets all of them [B, T, D*H], or NULL if they are not wanted, and last the last ones [D, B, H].
char *shim_lstm(handle *states, handle *last, handle x, handle *weights, int n, int want_states, int route);
#ifdef __cplusplus
}
#endif
