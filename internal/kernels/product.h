// The products of a linear layer, forward and for the gradient of its input. Each product uses the
// library that is faster for it. In float32, large products use oneDNN's inner product instead of
// MKL's in two cases: for the gradient of the input, and for the forward product if there are at
// least as many outputs as inputs.
#pragma once
#include "kernels.h"
#include "onednn.h"
#include "op.h"

namespace kernels {

// Tells whether to compute a product with oneDNN: if it is available, the numbers are float32 and
// the product is large. at::linear uses MKL in float32, which is a tenth to a fifth slower if there
// are at least as many outputs as inputs (docs/results/speed.md).
inline bool onednn_pays(const Tensor &x, int64_t in, int64_t out) {
  return x.scalar_type() == at::kFloat && onednn::makes(at::kFloat) && x.size(0) * in * out >= 1 << 22;
}

// Returns x w^T + b [n, out] for x [n, in] and w [out, in].
inline Tensor product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b) {
  if (w.size(0) >= w.size(1) && onednn_pays(x, w.size(1), w.size(0))) return onednn::linear(x, w, b, false);
  return at::linear(x, w, b);
}

// Returns g w [n, in] for g [n, out] and w [out, in].
inline Tensor product_back(const Tensor &g, const Tensor &w) {
  if (onednn_pays(g, w.size(1), w.size(0))) return onednn::linear(g, w.t(), {}, false);
  return at::mm(g, w);
}

extern "C" int kernels_makes_bf16(void) {
  static const bool it = [] {
    at::NoGradGuard no_grad;
    Tensor x = at::ones({32, 64}, at::kBFloat16), w = at::ones({48, 64}, at::kBFloat16),
           b = at::ones({48}, at::kBFloat16);
    try {
      product_back(product(x, w, b), w);
      at::mm(product(x, w, {}).t(), x);
    } catch (const std::exception &) {
      return false;
    }
    return true;
  }();
  return it;
}

} // namespace kernels
