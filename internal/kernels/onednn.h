// oneDNN's inner product. libtorch's namespace "at" does not have this operation, so the code looks
// it up by its name. A libtorch without oneDNN does not have it.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ATen.h>

namespace onednn {

inline c10::optional<c10::OperatorHandle> find(const char *name) {
  return c10::Dispatcher::singleton().findSchema({name, ""});
}

inline const c10::optional<c10::OperatorHandle> &linear_op() {
  static const auto op = find("mkldnn::_linear_pointwise");
  return op;
}

inline bool there() { return linear_op().has_value() && at::hasMKLDNN(); }

// Returns x w^T + b, or its ReLU if relu is set. w may be a result of
// mkldnn::_reorder_linear_weight. Call it only if there() is true.
inline at::Tensor linear(const at::Tensor &x, const at::Tensor &w, const c10::optional<at::Tensor> &b, bool relu) {
  using Op = at::Tensor(const at::Tensor &, const at::Tensor &, const c10::optional<at::Tensor> &, c10::string_view,
                        torch::List<c10::optional<at::Scalar>>, c10::optional<c10::string_view>);
  static const auto op = linear_op()->typed<Op>();
  return op.call(x, w, b, relu ? "relu" : "none", torch::List<c10::optional<at::Scalar>>(), "");
}

// Tells whether oneDNN can compute products of this element type on this CPU. The function tries a
// product, because bfloat16 needs AVX-512, which the CPU may lack or an environment variable of
// oneDNN may disable.
inline bool makes(at::ScalarType type) {
  auto tried = [](at::ScalarType of) {
    if (!there()) return false;
    at::NoGradGuard no_grad;
    at::Tensor x = at::ones({32, 32}, of);
    try {
      linear(x, x, {}, false);
    } catch (const std::exception &) {
      return false;
    }
    return true;
  };
  if (type == at::kFloat) {
    static const bool floats = tried(at::kFloat);
    return floats;
  }
  if (type != at::kBFloat16) return false;
  static const bool halves = tried(at::kBFloat16);
  return halves;
}

} // namespace onednn
