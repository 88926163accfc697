// This file lets gotch 0.9.1, which is written for libtorch 2.1, compile against libtorch 2.2 to
// 2.11. The compiler reads this file before each C++ file (-include). Three functions have changed
// since libtorch 2.1. This file adds them with the argument lists of 2.1. None of our code calls
// them. Go's build cache does not notice changes of this file: after a change, run go clean -cache,
// so that gotch is compiled again.
#pragma once
#include <torch/torch.h>
// gotch and our shim use autocast functions that libtorch 2.1 and newer versions have. Newer
// versions mark them as deprecated.
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
