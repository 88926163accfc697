// Implements shim.h. This file is small, because gotch's generated C API is used wherever possible.
#include "shim.h"
#include "../kernels/handles.h"

#include <dlfcn.h>
#include <torch/torch.h>

using torch::Tensor;

char *shim_seed(uint64_t seed) {
  return guard([&] { torch::manual_seed(seed); });
}

void shim_threads(int n) { at::set_num_threads(n); }
int shim_get_threads(void) { return at::get_num_threads(); }
const char *shim_version(void) { return TORCH_VERSION; }

int shim_open_cuda(const char *path, char **why) {
  if (dlopen(path, RTLD_NOW | RTLD_GLOBAL)) return 1;
  *why = strdup(dlerror());
  return 0;
}

char *shim_zero_grad(handle *params, int n) {
  return guard([&] {
    for (int i = 0; i < n; i++) at_(params[i]).mutable_grad().reset();
  });
}

char *shim_grad_of(handle *out, handle param) {
  return guard([&] {
    const Tensor &g = at_(param).grad();
    *out = g.defined() ? new Tensor(g) : nullptr;
  });
}

// Sets *out to the gradient of the sum of the output with respect to the input. The .grad of
// parameters does not change.
char *shim_gradient(handle *out, handle output, handle input) {
  return guard([&] {
    const Tensor &y = at_(output), &x = at_(input);
    Tensor g = torch::autograd::grad({y}, {x}, {torch::ones_like(y)}, false, false, true)[0];
    *out = new Tensor(g.defined() ? g : torch::zeros_like(x));
  });
}

char *shim_gelu(handle *out, handle x) {
  return guard([&] { *out = new Tensor(at::gelu(at_(x))); });
}

char *shim_attention(handle *out, handle q, handle kv, int64_t heads, double p, int causal) {
  return guard([&] {
    // Use chunk, because its gradient is a single operation. The gradient of narrow would, for each
    // part, fill a tensor of the full size with zeros.
    auto parts = at_(kv).chunk(q ? 2 : 3, 2);
    if (q) parts.insert(parts.begin(), at_(q));
    for (Tensor &t : parts) t = t.view({t.size(0), t.size(1), heads, t.size(2) / heads}).transpose(1, 2);
    Tensor y = at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, p, causal != 0).transpose(1, 2);
    *out = new Tensor(y.reshape({y.size(0), y.size(1), y.size(2) * y.size(3)}));
  });
}
