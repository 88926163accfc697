// Functions for CUDA that gotch's C API lacks. They use only symbols of libtorch_cpu and libc10,
// because libtorch_cuda is opened at run time and the binary is linked without it. Errors and
// handles are as in shim.h. A device index is -1 for the CPU and counts CUDA devices from 0.
#pragma once
#include "shim.h"
#ifdef __cplusplus
extern "C" {
#endif
char *shim_cuda_driver(int *devices, int *version);
char *shim_cuda_device(int index, char *name, int length, int64_t *memory, int *major, int *minor);
char *shim_cuda_use(int index);
char *shim_to_device(handle *out, handle host, int index);
char *shim_from_blob_on(handle *out, const void *data, const int64_t *dims, int ndims, int kind, int index);
char *shim_rng_get_of(handle *out, int index);
char *shim_rng_set_of(handle state, int index);
int shim_autocast_on(int index, int on);
char *shim_adam_fused(handle *norm, handle *params, handle *m, handle *v, int n, double lr, double beta1,
                      double beta2, double eps, int64_t step, double max_norm);
#ifdef __cplusplus
}
#endif
