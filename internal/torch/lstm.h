// One LSTM layer; see lstm.cpp.
#pragma once
#include "shim.h"
#ifdef __cplusplus
extern "C" {
#endif
// How lstm computes: the fastest way for the device and CPU, or always libtorch's own.
enum { lstm_fast = 0, lstm_plain = 1 };
// out gets all states [B, T, D*H], or NULL if they are not wanted, and the last ones [D, B, H].
char *shim_lstm(handle *states, handle *last, handle x, handle *weights, int n, int want_states, int train, int route);
#ifdef __cplusplus
}
#endif
