// Linear layers for products that are made again and again: weights laid out once as oneDNN wants
// them, where libtorch's would do it for every product.
#pragma once
#include "kernels.h"
#include "onednn.h"
#include "op.h"

namespace kernels::packed {

// x w^T + b or, with relu, max(0, x w^T + b) in the weights' element type.
Tensor raw_product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &bias, bool packed, bool relu) {
  if (!packed) {
    Tensor y = at::linear(x.to(w.scalar_type()), w, bias);
    return relu ? y.relu_() : y;
  }
  auto type = bias.has_value() ? bias->scalar_type() : at::kFloat;
  return onednn::linear(x.to(type), w, bias, relu);
}

// raw_product in float but with relu, where another product reads it.
Tensor product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &bias, bool packed, bool relu) {
  Tensor y = raw_product(x, w, bias, packed, relu);
  return relu ? y : y.to(at::kFloat);
}

// w [out, in] laid out as oneDNN wants it for products of about so many rows; NULL where there is
// no oneDNN for it, as for bfloat16 on a CPU without AVX-512.
inline Switch packing("packing", "at::linear on weights that are not laid out for it");

extern "C" char *kernels_pack(handle *out, handle w, int64_t rows) {
  return guard([&] {
    *out = nullptr;
    static const auto op = onednn::find("mkldnn::_reorder_linear_weight");
    if (!packing || !op.has_value() || !at_(w).is_cpu() || !onednn::makes(at_(w).scalar_type())) return;
    torch::jit::Stack stack{at_(w).contiguous(), rows};
    op->callBoxed(stack);
    *out = new Tensor(stack[0].toTensor());
  });
}

extern "C" char *kernels_packed_product(handle *out, handle x, handle w, handle bias, int packed, int relu) {
  return guard([&] { *out = new Tensor(packed::product(at_(x), at_(w), maybe(bias), packed != 0, relu != 0)); });
}

} // namespace kernels::packed
