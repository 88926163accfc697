// A linear layer, y = x w^T + b. In float32 on a CPU, each of its three products uses the library
// that is faster for this product (product.h). In bfloat16 on a GPU, the whole layer is one node of
// the graph. On a GPU, a step waits for the CPU to launch operations. For one layer, this code
// launches about twelve operations, but autocast would launch about fifty.
#pragma once
#include "autocast.h"
#include "product.h"

namespace kernels {

struct Linear : Function<Linear> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b,
                        bool save) {
    Tensor xs = x.reshape({-1, x.size(-1)}).contiguous();
    if (save) {
      ctx->save_for_backward({xs, w});
      ctx->saved_data["bias"] = b.has_value();
    }
    auto shape = x.sizes().vec();
    shape.back() = w.size(0);
    return product(xs, w, b).view(shape);
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor x = saved[0], w = saved[1], dx, dw, db;
    auto shape = grads[0].sizes().vec();
    Tensor g = grads[0].reshape({-1, w.size(0)}).contiguous();
    if (ctx->needs_input_grad(0)) {
      shape.back() = w.size(1);
      dx = product_back(g, w).view(shape);
    }
    if (ctx->needs_input_grad(1)) dw = at::mm(g.t(), x);
    if (ctx->saved_data["bias"].toBool() && ctx->needs_input_grad(2)) db = column_sums(g);
    return {dx, dw, db, {}};
  }
};

// A linear layer that multiplies in bfloat16, for x, w and b of any type. Products are summed in
// float32, and the gradients of w and b are float32.
struct HalfLinear : Function<HalfLinear> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b) {
    c10::impl::ExcludeDispatchKeyGuard plain(c10::autocast_dispatch_keyset);
    Tensor xs = x.reshape({-1, x.size(-1)}).to(at::kBFloat16), ws = w.to(at::kBFloat16), y;
    y = b.has_value() ? at::addmm(b->to(at::kBFloat16), xs, ws.t()) : at::mm(xs, ws.t());
    ctx->save_for_backward({xs, ws});
    ctx->saved_data["bias"] = b.has_value();
    auto shape = x.sizes().vec();
    shape.back() = w.size(0);
    return y.view(shape);
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    c10::impl::ExcludeDispatchKeyGuard plain(c10::autocast_dispatch_keyset);
    auto saved = ctx->get_saved_variables();
    Tensor x = saved[0], w = saved[1], dx, dw, db;
    auto shape = grads[0].sizes().vec();
    Tensor g = grads[0].reshape({-1, w.size(0)});
    if (ctx->needs_input_grad(0)) {
      shape.back() = w.size(1);
      dx = at::mm(g, w).view(shape);
    }
    if (ctx->needs_input_grad(1)) dw = at::mm(g.t(), x).to(at::kFloat);
    if (ctx->saved_data["bias"].toBool() && ctx->needs_input_grad(2)) db = at::sum(g, {0}, false, at::kFloat);
    return {dx, dw, db};
  }
};

// Computes the layer on devices other than the CPU, or in precisions other than float32.
inline Tensor linear_elsewhere(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b) {
  if (x.is_cuda() && x.numel() > 0 && autocast::enabled(at::kCUDA) &&
      recorded({x, w, b.value_or(Tensor())}))
    return HalfLinear::apply(x, w, b);
  return at::linear(x, w, b);
}

extern "C" char *kernels_linear(handle *out, handle hx, handle hw, handle hb) {
  return guard([&] {
    const Tensor &x = at_(hx), &w = at_(hw);
    c10::optional<Tensor> b = maybe(hb);
    TORCH_CHECK(x.size(-1) == w.size(1), "x has ", x.size(-1), " features, the weights want ", w.size(1));
    bool floats = x.is_cpu() && x.scalar_type() == at::kFloat && w.scalar_type() == at::kFloat;
    if (floats && !autocast::enabled(at::kCPU))
      *out = new Tensor(Linear::apply(x, w, b, recorded({x, w, b.value_or(Tensor())})));
    else
      *out = new Tensor(linear_elsewhere(x, w, b));
  });
}

} // namespace kernels
