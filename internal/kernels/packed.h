// Linear layers for repeated products. The weights are reordered for oneDNN once. libtorch's own
// layers would reorder them for every product.
#pragma once
#include "kernels.h"
#include "onednn.h"
#include "op.h"

namespace kernels::packed {

// Returns x w^T + b or, if relu is set, max(0, x w^T + b), in the weights' element type.
Tensor raw_product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &bias, bool packed, bool relu) {
  if (!packed) {
    Tensor y = at::linear(x.to(w.scalar_type()), w, bias);
    return relu ? y.relu_() : y;
  }
  auto type = bias.has_value() ? bias->scalar_type() : at::kFloat;
  return onednn::linear(x.to(type), w, bias, relu);
}

// Returns the result of raw_product, converted to float unless relu is set. The result of ReLU is
// not converted, because it is the input of another product.
Tensor product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &bias, bool packed, bool relu) {
  Tensor y = raw_product(x, w, bias, packed, relu);
  return relu ? y : y.to(at::kFloat);
}

// kernels_pack sets *out to w [out, in] reordered for oneDNN products of about the given number of
// rows. It sets *out to NULL if oneDNN cannot compute such products, for example bfloat16 products
// on a CPU without AVX-512.
extern "C" char *kernels_pack(handle *out, handle w, int64_t rows) {
  return guard([&] {
    *out = nullptr;
    static const auto op = onednn::find("mkldnn::_reorder_linear_weight");
    if (!op.has_value() || !at_(w).is_cpu() || !onednn::makes(at_(w).scalar_type())) return;
    torch::jit::Stack stack{at_(w).contiguous(), rows};
    op->callBoxed(stack);
    *out = new Tensor(stack[0].toTensor());
  });
}

extern "C" char *kernels_packed_product(handle *out, handle x, handle w, handle bias, int packed, int relu) {
  return guard([&] { *out = new Tensor(packed::product(at_(x), at_(w), maybe(bias), packed != 0, relu != 0)); });
}

} // namespace kernels::packed
