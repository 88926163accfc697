// Cosines with a mean; see cosine.cpp.
#pragma once
#include "shim.h"
#ifdef __cplusplus
extern "C" {
#endif
char *shim_mean_cosine(handle *out, handle x, int64_t dim);
#ifdef __cplusplus
}
#endif
