// This is the C interface of the package. Its operations are faster than libtorch's own. Each
// function is described at its definition. A function that can fail returns NULL or an error
// message, which the caller must free. A handle is a torch::Tensor*, as in gotch. The caller owns
// the returned handles.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef void *handle;

// Defined in isa.cpp and heap.cpp.
const char *kernels_cpu(void);
int kernels_bf16(void);
void kernels_keep_heap(void); // call it before any other use of torch
void kernels_trim(void);

// Defined in product.h.
int kernels_makes_bf16(void);

// Defined in linear.h, vocabloss.h, dropout.h and cosine.h.
char *kernels_linear(handle *out, handle x, handle w, handle b);
char *kernels_vocab_loss(handle *out, handle x, handle w, handle b, handle target, int mean);
char *kernels_dropout(handle *out, handle x, double p);
char *kernels_mean_cosine(handle *out, handle x);

// Defined in adam.h.
char *kernels_adam(handle *params, handle *m, handle *v, int n, double lr, double beta1, double beta2, double eps,
                   double bias1, double bias2, double max_norm, double *norm, int64_t *bad);

// Defined in lstm.h. kernels_lstm sets *states to all states [B, T, D*H], or to NULL if want_states
// is 0. It sets *last to the states after the last step [D, B, H].
char *kernels_lstm(handle *states, handle *last, handle x, handle *weights, int n, int want_states);

// Defined in lstmcell.h. kernels_lstm_cell sets *hidden and *cell to the states [n, H] of n rows.
// Row i has the gates table[words[i]] + products[parents[i]] and the previous cell
// cells[parents[i]]. At the first word, products is NULL.
char *kernels_lstm_cell(handle *hidden, handle *cell, handle table, handle words, handle products, handle cells,
                        handle parents);

// Defined in packed.h, cacheattention.h and likeliest.h.
char *kernels_pack(handle *out, handle w, int64_t rows);
char *kernels_packed_product(handle *out, handle x, handle w, handle bias, int packed, int relu);
char *kernels_attend(handle *out, handle q, handle kv, int64_t heads, const int32_t *slots, int64_t nslots,
                     const int32_t *start, const int32_t *length, int64_t n, int half);
char *kernels_likeliest(handle *out, handle x, handle w, handle bias, int packed, const int64_t *want, int64_t n,
                        int64_t open, int64_t first, int64_t k, int normalise);

#ifdef __cplusplus
}
#endif
