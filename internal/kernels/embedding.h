// A Transformer's input, dropout(scale table[ids] + places), and the table's gradient. Against
// at::embedding, two elementwise operations and at::dropout: one pass each way, by all threads.
#pragma once
#include "dropout.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

// out[r] = dropout(table[ids[r]] * scale + places[r % t]).
INLINE void embed_rows_(const float *table, const int64_t *ids, const float *places, float scale, int64_t t, int64_t d,
                        Drop drop, float *out, int64_t from, int64_t to) {
  for (int64_t r = from; r < to; r++) {
    const float *w = table + ids[r] * d, *p = places + (r % t) * d;
    float *o = out + r * d;
    uint32_t key = drop.row(r);
    if (drop.limit) {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) o[i] = (w[i] * scale + p[i]) * drop.at(key, i);
    } else {
#pragma omp simd
      for (int64_t i = 0; i < d; i++) o[i] = w[i] * scale + p[i];
    }
  }
}

inline void embed_rows(const float *table, const int64_t *ids, const float *places, float scale, int64_t t, int64_t d,
                       Drop drop, float *out, int64_t from, int64_t to) {
  BY_CPU(embed_rows_(table, ids, places, scale, t, d, drop, out, from, to))
}

// Adds columns [from, to) of every row of g to the table's gradient, row after row: the order of
// the sums is fixed.
INLINE void embed_back_(const float *g, const int64_t *ids, float scale, int64_t n, int64_t d, Drop drop, float *grad,
                        int64_t from, int64_t to) {
  for (int64_t r = 0; r < n; r++) {
    const float *gr = g + r * d;
    float *w = grad + ids[r] * d;
    uint32_t key = drop.row(r);
    if (drop.limit) {
#pragma omp simd
      for (int64_t i = from; i < to; i++) w[i] += gr[i] * scale * drop.at(key, i);
    } else {
#pragma omp simd
      for (int64_t i = from; i < to; i++) w[i] += gr[i] * scale;
    }
  }
}
inline void embed_back(const float *g, const int64_t *ids, float scale, int64_t n, int64_t d, Drop drop, float *grad,
                       int64_t from, int64_t to) {
  BY_CPU(embed_back_(g, ids, scale, n, d, drop, grad, from, to))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels {

struct Embed : Function<Embed> {
  static Tensor forward(AutogradContext *ctx, const Tensor &table, const Tensor &ids, const Tensor &places,
                        double scale, double p, uint64_t seed, bool save) {
    int64_t n = ids.numel(), t = ids.size(1), d = table.size(1);
    Tensor out = at::empty({ids.size(0), t, d}, table.options());
    check_ids(ids, table.size(0));
    Drop drop(seed, p);
    over_rows(n, [&](int64_t from, int64_t to, int64_t) {
      embed_rows(table.data_ptr<float>(), ids.data_ptr<int64_t>(), places.data_ptr<float>(), float(scale), t, d, drop,
                 out.data_ptr<float>(), from, to);
    });
    if (save) {
      ctx->save_for_backward({ids});
      ctx->saved_data["rows"] = table.size(0);
      ctx->saved_data["scale"] = scale;
      ctx->saved_data["p"] = p;
      ctx->saved_data["seed"] = int64_t(seed);
    }
    return out;
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    Tensor ids = ctx->get_saved_variables()[0], g = grads[0].contiguous();
    int64_t d = g.size(-1);
    Tensor grad = at::zeros({ctx->saved_data["rows"].toInt(), d}, g.options());
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    float scale = float(ctx->saved_data["scale"].toDouble());
    over_columns(d, [&](int64_t from, int64_t to) {
      embed_back(g.data_ptr<float>(), ids.data_ptr<int64_t>(), scale, ids.numel(), d, drop, grad.data_ptr<float>(),
                 from, to);
    });
    return {grad, {}, {}, {}, {}, {}, {}};
  }
};

inline Switch placed_embedding("embedding", "at::embedding, a product, a sum and at::dropout");

extern "C" char *kernels_embed(handle *out, handle table, handle ids, handle places, double scale, double p) {
  return guard([&] {
    TORCH_CHECK(at_(places).numel() == at_(ids).size(1) * at_(table).size(1), "places are ", at_(places).sizes());
    if (placed_embedding && at_(table).is_cpu()) {
      *out = new Tensor(Embed::apply(at_(table).contiguous(), at_(ids).contiguous(), at_(places).contiguous(), scale, p,
                                     draw(p), recorded({at_(table)})));
      return;
    }
    Tensor x = at::embedding(at_(table), at_(ids)) * scale + at_(places);
    *out = new Tensor(drop_out(x, p));
  });
}

} // namespace kernels
