// The layer norm of a residual sum, w (z - mean z) / sqrt(var z + 1e-5) + b with z = x + dropout(y)
// (Ba et al. 2016). Against at::dropout, a sum and at::layer_norm: one pass over the rows each way,
// and no mask.
#pragma once
#include "dropout.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

struct Norm {
  const float *w, *b;
  int64_t d;
  float eps;
};

// out and hat [N, d], rstd [N]; hat and rstd may be null where there will be no backward pass.
template <class Y>
INLINE void add_norm_(const float *x, const Y *y, Norm n, Drop drop, float *out, float *hat, float *rstd, int64_t from,
                      int64_t to) {
  int64_t d = n.d;
  for (int64_t r = from; r < to; r++) {
    const float *xr = x + r * d;
    const Y *yr = y + r * d;
    float *o = out + r * d;
    uint32_t key = drop.row(r);
    float sum = 0, squares = 0;
    if (drop.limit) {
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < d; i++) {
        o[i] = xr[i] + load(yr[i]) * drop.at(key, i);
        sum += o[i];
      }
    } else {
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < d; i++) {
        o[i] = xr[i] + load(yr[i]);
        sum += o[i];
      }
    }
    float mean = sum / d;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < d; i++) squares += (o[i] - mean) * (o[i] - mean);
    float s = 1 / std::sqrt(squares / d + n.eps);
    if (hat) {
      float *h = hat + r * d;
      rstd[r] = s;
#pragma omp simd
      for (int64_t i = 0; i < d; i++) {
        h[i] = (o[i] - mean) * s;
        o[i] = h[i] * n.w[i] + n.b[i];
      }
    } else {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) o[i] = (o[i] - mean) * s * n.w[i] + n.b[i];
    }
  }
}
template <class X>
void add_norm(const float *x, const X *y, Norm n, Drop drop, float *out, float *hat, float *rstd, int64_t from,
              int64_t to) {
  BY_CPU(add_norm_(x, y, n, drop, out, hat, rstd, from, to))
}

// From g = d out: dx and dy [N, d]; what the rows add to dw and db [d].
template <class Y>
INLINE void add_norm_back_(const float *g, const float *hat, const float *rstd, Norm n, Drop drop, float *dx, Y *dy,
                           float *dw, float *db, int64_t from, int64_t to) {
  int64_t d = n.d;
  for (int64_t r = from; r < to; r++) {
    const float *gr = g + r * d, *h = hat + r * d;
    float a = 0, c = 0;
#pragma omp simd reduction(+ : a, c)
    for (int64_t i = 0; i < d; i++) {
      float t = gr[i] * n.w[i];
      a += t;
      c += t * h[i];
      dw[i] += gr[i] * h[i];
      db[i] += gr[i];
    }
    a /= d;
    c /= d;
    float s = rstd[r];
    uint32_t key = drop.row(r);
    float *x = dx + r * d;
    Y *y = dy + r * d;
#pragma omp simd
    for (int64_t i = 0; i < d; i++) x[i] = s * (gr[i] * n.w[i] - a - h[i] * c);
    if (drop.limit) {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) store(y[i], x[i] * drop.at(key, i));
    } else {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) store(y[i], x[i]);
    }
  }
}
template <class X>
void add_norm_back(const float *g, const float *hat, const float *rstd, Norm n, Drop drop, float *dx, X *dy, float *dw,
                   float *db, int64_t from, int64_t to) {
  BY_CPU(add_norm_back_(g, hat, rstd, n, drop, dx, dy, dw, db, from, to))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels {

struct AddNorm : Function<AddNorm> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &y, const Tensor &w, const Tensor &b,
                        double p, uint64_t seed, bool save) {
    int64_t d = x.size(-1), n = x.numel() / d;
    Tensor out = at::empty_like(x), hat, rstd;
    if (save) {
      hat = at::empty_like(x);
      rstd = at::empty({n}, x.options());
    }
    Norm norm{w.data_ptr<float>(), b.data_ptr<float>(), d, 1e-5f};
    Drop drop(seed, p);
    typed(y, [&](auto *yp) {
      over_rows(n, [&](int64_t from, int64_t to, int64_t) {
        add_norm(x.data_ptr<float>(), yp, norm, drop, out.data_ptr<float>(), save ? hat.data_ptr<float>() : nullptr,
                 save ? rstd.data_ptr<float>() : nullptr, from, to);
      });
    });
    if (save) {
      ctx->save_for_backward({hat, rstd, w, b});
      ctx->saved_data["p"] = p;
      ctx->saved_data["seed"] = int64_t(seed);
      ctx->saved_data["type"] = y.scalar_type();
    }
    return out;
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor hat = saved[0], rstd = saved[1], w = saved[2], b = saved[3];
    Tensor g = grads[0].contiguous();
    int64_t d = hat.size(-1), n = hat.numel() / d, blocks = (n + kRows - 1) / kRows;
    Tensor dx = at::empty_like(hat), dy = at::empty_like(hat, ctx->saved_data["type"].toScalarType());
    Tensor sums = at::zeros({blocks, 2, d}, hat.options());
    Norm norm{w.data_ptr<float>(), b.data_ptr<float>(), d, 1e-5f};
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    typed(dy, [&](auto *dyp) {
      over_rows(n, [&](int64_t from, int64_t to, int64_t k) {
        float *s = sums.data_ptr<float>() + k * 2 * d;
        add_norm_back(g.data_ptr<float>(), hat.data_ptr<float>(), rstd.data_ptr<float>(), norm, drop,
                      dx.data_ptr<float>(), dyp, s, s + d, from, to);
      });
    });
    Tensor both = column_sums(sums.view({blocks, 2 * d})).view({2, d});
    return {dx, dy, both[0], both[1], {}, {}, {}};
  }
};

inline Switch residual_norm("add-norm", "at::dropout, a sum and at::layer_norm");

extern "C" char *kernels_add_norm(handle *out, handle x, handle y, handle w, handle b, double p) {
  return guard([&] {
    TORCH_CHECK(at_(x).size(-1) == at_(w).size(0) && at_(w).sizes() == at_(b).sizes(), "x has ", at_(x).size(-1),
                " features, w and b have ", at_(w).size(0), " and ", at_(b).size(0));
    TORCH_CHECK(at_(x).sizes() == at_(y).sizes(), "x and y differ in shape");
    if (residual_norm && at_(x).is_cpu()) {
      *out = new Tensor(AddNorm::apply(at_(x).contiguous(), at_(y).contiguous(), at_(w).contiguous(),
                                       at_(b).contiguous(), p, draw(p), recorded({at_(x), at_(y), at_(w), at_(b)})));
      return;
    }
    Tensor sum = at_(x) + drop_out(at_(y), p);
    *out = new Tensor(at::layer_norm(sum, at_(w).sizes(), at_(w), at_(b), 1e-5));
  });
}

} // namespace kernels
