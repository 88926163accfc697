// Kernels of a decoder that writes a word at a time. Conventions as in shim.h.
#pragma once
#include "shim.h"
#ifdef __cplusplus
extern "C" {
#endif
char *decode_empty(handle *out, handle like, int64_t rows, int64_t columns);
char *decode_pack(handle *out, handle w, int64_t rows);
char *decode_product(handle *out, handle x, handle w, handle bias, int packed, int relu);
char *decode_attend(handle *out, handle q, handle kv, int64_t heads, const int32_t *slots, int64_t nslots, const int32_t *start,
                    const int32_t *length, int64_t n, int plain);
char *decode_likeliest(handle *out, handle x, handle w, handle bias, int packed, const int64_t *want, int64_t n, int64_t open,
                       int64_t first, int64_t k, int normalise, int plain);
#ifdef __cplusplus
}
#endif
