// Functions that gotch's C API lacks, except those for CUDA (cuda.h): 64-bit seeds, threads, the
// version, attention without a mask, and gradients for a training loop. A function that can fail
// returns NULL or a message, which the caller must free. A handle is a torch::Tensor*, as in gotch.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef void *handle;
char *shim_seed(uint64_t seed);
void shim_threads(int n);
int shim_get_threads(void);
const char *shim_version(void);
int shim_open_cuda(const char *path, char **why);
char *shim_zero_grad(handle *params, int n);
char *shim_grad_of(handle *out, handle param);
char *shim_gradient(handle *out, handle output, handle input);

// at::scaled_dot_product_attention without a mask. q [B, T, d] has the queries. kv [B, S, 2d] has
// the keys and then the values. The heads are side by side. If q is NULL, kv [B, T, 3d] has the
// queries before the keys. p is the dropout probability.
char *shim_attention(handle *out, handle q, handle kv, int64_t heads, double p, int causal);

// at::gelu. gotch's own function never frees the string that names the approximation.
char *shim_gelu(handle *out, handle x);

#ifdef __cplusplus
}
#endif
