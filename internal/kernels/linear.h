// A linear layer, y = x w^T + b, or dropout(max(0, x w^T + b)), [N, in] -> [N, out]. Against
// at::linear, at::relu and at::dropout: one pass in place for what comes after the product, no
// mask, the faster library's product (product.h), and the bias's gradient by all threads.
#pragma once
#include "autocast.h"
#include "dropout.h"
#include "product.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

template <class Y> INLINE void relu_drop_(Y *y, int64_t from, int64_t to, int64_t d, Drop drop) {
  for (int64_t r = from; r < to; r++) {
    Y *row = y + r * d;
    uint32_t key = drop.row(r);
    if (drop.limit) {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) store(row[i], larger(0, load(row[i])) * drop.at(key, i));
    } else {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) store(row[i], larger(0, load(row[i])));
    }
  }
}
template <class X> void relu_drop(X *y, int64_t from, int64_t to, int64_t d, Drop drop) {
  BY_CPU(relu_drop_(y, from, to, d, drop))
}

// What is positive was neither cut nor dropped.
template <class Y> INLINE void relu_drop_back_(const Y *g, const Y *y, Y *out, int64_t from, int64_t to, float scale) {
#pragma omp simd
  for (int64_t i = from; i < to; i++) {
    float x = load(g[i]) * scale;
    store(out[i], load(y[i]) > 0 ? x : 0.f);
  }
}
template <class X> void relu_drop_back(const X *g, const X *y, X *out, int64_t from, int64_t to, float scale) {
  BY_CPU(relu_drop_back_(g, y, out, from, to, scale))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels {

struct Linear : Function<Linear> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b,
                        bool half, bool relu, double p, uint64_t seed, bool save) {
    c10::impl::ExcludeDispatchKeyGuard plain(c10::autocast_dispatch_keyset);
    auto type = half ? at::kBFloat16 : at::kFloat;
    Tensor xs = x.reshape({-1, x.size(-1)}).to(type).contiguous(), ws = w.to(type);
    Tensor y = product(xs, ws, b ? c10::optional<Tensor>(b->to(type)) : c10::nullopt);
    if (relu) {
      Drop drop(seed, p);
      over_rows(y.size(0), [&](int64_t from, int64_t to, int64_t) {
        typed(y, [&](auto *q) { relu_drop(q, from, to, y.size(1), drop); });
      });
    }
    if (save) {
      ctx->save_for_backward({xs, ws, relu ? y : Tensor()});
      ctx->saved_data["scale"] = 1 / (1 - p);
      ctx->saved_data["bias"] = b.has_value();
      ctx->saved_data["type"] = x.scalar_type();
    }
    auto shape = x.sizes().vec();
    shape.back() = w.size(0);
    return y.view(shape);
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor x = saved[0], w = saved[1], y = saved[2];
    auto shape = grads[0].sizes().vec();
    Tensor g = grads[0].reshape({-1, w.size(0)}).to(x.scalar_type()).contiguous();
    if (y.defined()) {
      Tensor cut = at::empty_like(g);
      float scale = float(ctx->saved_data["scale"].toDouble());
      threads::parallel_for(0, g.numel(), 1 << 15, [&](int64_t from, int64_t to) {
        typed(g, [&](auto *p) {
          using X = std::remove_pointer_t<decltype(p)>;
          relu_drop_back(p, as<X>(y), as<X>(cut), from, to, scale);
        });
      });
      g = cut;
    }
    Tensor dx, dw, db;
    if (ctx->needs_input_grad(0)) {
      shape.back() = w.size(1);
      dx = product_back(g, w).to(ctx->saved_data["type"].toScalarType()).view(shape);
    }
    if (ctx->needs_input_grad(1)) dw = at::mm(g.t(), x).to(at::kFloat);
    if (ctx->saved_data["bias"].toBool() && ctx->needs_input_grad(2)) db = column_sums(g);
    return {dx, dw, db, {}, {}, {}, {}, {}};
  }
};

inline Switch fused_linear("linear", "at::linear, at::relu and at::dropout");

extern "C" char *kernels_linear(handle *out, handle x, handle w, handle b, int relu, double p) {
  return guard([&] {
    c10::optional<Tensor> bias = maybe(b);
    Tensor y;
    TORCH_CHECK(at_(x).size(-1) == at_(w).size(1), "x has ", at_(x).size(-1), " features, the weights want ",
                at_(w).size(1));
    if (fused_linear && at_(x).is_cpu()) {
      y = Linear::apply(at_(x), at_(w), bias, autocast::enabled(at::kCPU), relu != 0, p, draw(p),
                        recorded({at_(x), at_(w), bias.value_or(Tensor())}));
    } else {
      y = at::linear(at_(x), at_(w), bias);
      if (relu) y = drop_out(at::relu(y), p);
    }
    *out = new Tensor(y);
  });
}

} // namespace kernels
