// Lets gotch 0.9.1, which is written for libtorch 2.1, compile against 2.2 to 2.11. The compiler
// reads it before each C++ file (-include). It adds, with the argument lists of 2.1, the three
// functions that have changed since; nothing of ours calls them. Go's cache does not see this file:
// after a change, remove gotch from it (go clean -cache).
#pragma once
#include <torch/torch.h>
// gotch and our shim use the autocast calls that both versions have; the newer one calls them
// deprecated.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2
namespace at {
inline Tensor _cslt_sparse_mm(const Tensor& a, const Tensor& b, const Tensor& bias, bool t) {
  return at::_cslt_sparse_mm(
      a, b, c10::optional<Tensor>(bias), c10::optional<Tensor>(), c10::optional<ScalarType>(), t);
}
#if TORCH_VERSION_MINOR >= 5
inline std::tuple<Tensor, Tensor> _scaled_mm(const Tensor&, const Tensor&, const Tensor&, c10::optional<ScalarType>,
                                             const Tensor&, const Tensor&, const Tensor&) {
  throw std::runtime_error("_scaled_mm: not supported");
}
inline std::tuple<Tensor&, Tensor&> _scaled_mm_out(Tensor&, Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                                   c10::optional<ScalarType>, const Tensor&, const Tensor&,
                                                   const Tensor&) {
  throw std::runtime_error("_scaled_mm_out: not supported");
}
#endif
}  // namespace at
#endif
