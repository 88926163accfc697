// The few things that gotch's C API lacks, beside CUDA's (cuda.h): seeds of 64 bits, threads, the
// version, attention without a mask, and gradients as a training loop wants them. Every function
// that can fail returns a message owned by the caller (free it) or NULL. A handle is a
// torch::Tensor*, as in gotch.
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
char *shim_grad(handle *out, handle *outputs, int nout, handle *inputs, int nin, int keep);

// at::scaled_dot_product_attention without a mask of the heads that lie side by side in kv [B, S,
// 2d], keys and values, and in q [B, T, d]; or, without q, in qkv [B, T, 3d].
char *shim_attention(handle *out, handle q, handle kv, int64_t heads, double p, int causal);

// at::gelu, by tanh or not. gotch's own leaks the text that names it.
char *shim_gelu(handle *out, handle x, int by_tanh);

#ifdef __cplusplus
}
#endif
