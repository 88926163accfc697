// The few things gotch's C API lacks. Every function that can fail returns a message owned by the caller
// (free it) or NULL. A handle is a torch::Tensor*, as in gotch.
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
uint64_t shim_heap(void);
void shim_trim(void);
const char *shim_version(void);
const char *shim_cpu(void);
int shim_cpu_bf16(void);
int shim_open_cuda(const char *path, char **why);
char *shim_adam(handle *params, handle *m, handle *v, int n, double lr, double beta1, double beta2, double eps,
                double bias1, double bias2, double max_norm, double scale, double *norm, int64_t *bad);
char *shim_zero_grad(handle *params, int n);
char *shim_grad_of(handle *out, handle param);
char *shim_grad(handle *out, handle *outputs, int nout, handle *inputs, int nin, int keep);

char *shim_linear(handle *out, handle x, handle w, handle b, int relu, double p);
// Whether the products of a training step in bfloat16 come out at all on the CPU, however slowly.
int shim_cpu_makes_bf16(void);
// x w^T by libtorch's choice, or by oneDNN where it makes such products.
char *shim_product(handle *out, handle x, handle w, int onednn);
char *shim_attention(handle *out, handle q, handle kv, int64_t heads, int causal, double p);
char *shim_add_norm(handle *out, handle x, handle y, handle w, handle b, double p);
char *shim_embed(handle *out, handle table, handle ids, handle places, double scale, double p);
char *shim_vocab_loss(handle *out, handle x, handle w, handle b, handle target, int mean);
char *shim_dropout(handle *out, handle x, double p);

#ifdef __cplusplus
}
#endif
