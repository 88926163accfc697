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
int shim_open_cuda(const char *path, char **why);
char *shim_sdpa(handle *out, handle q, handle k, handle v, double dropout, int causal);
char *shim_adam(handle *params, handle *m, handle *v, int n, double lr, double beta1, double beta2, double eps,
                double bias1, double bias2, double max_norm, double *norm, int64_t *bad);
char *shim_zero_grad(handle *params, int n);
char *shim_grad_of(handle *out, handle param);
char *shim_grad(handle *out, handle *outputs, int nout, handle *inputs, int nin, int keep);
#ifdef __cplusplus
}
#endif
