// Attention of short sentences without a mask, dropout(softmax(q k^T / sqrt(d))) v of every head,
// and its gradient (Vaswani et al. 2017, eq. 1). Against libtorch's: a head stays in the cache from
// the scores to the values, where libtorch writes and reads scores, weights and masks of the whole
// batch and copies heads apart and together.
#pragma once
#include "attentionloops.h"
#include "kernels.h"

namespace kernels {

// Where queries, keys and values lie: all three in q [B, T, 3d], or queries in q [B, T, d] and the
// others in kv [B, S, 2d].
struct Layout {
  int64_t b, t, s, d, heads;
  bool self;
  Head head;

  Layout(const Tensor &q, const Tensor &kv, int64_t heads, bool causal)
      : b(q.size(0)), t(q.size(1)), heads(heads), self(!kv.defined()) {
    s = self ? t : kv.size(1);
    d = self ? q.size(2) / 3 : q.size(2);
    int64_t width = d / heads;
    head = {t, s, width, causal, float(1 / std::sqrt(double(width)))};
  }
  template <class X> Rows<X> queries(X *q, int64_t i, int64_t h) const {
    int64_t step = self ? 3 * d : d;
    return {q + i * t * step + h * head.d, step};
  }
  template <class X> Rows<X> keys(X *q, X *kv, int64_t i, int64_t h, int which) const { // 0 keys, 1 values
    if (self) return {q + i * t * 3 * d + (1 + which) * d + h * head.d, 3 * d};
    return {kv + i * s * 2 * d + which * d + h * head.d, 2 * d};
  }
  template <class F> void each(F f) const {
    threads::parallel_for(0, b * heads, 1, [&](int64_t from, int64_t to) {
      std::vector<float> scratch(attention_scratch(t, s, head.d));
      for (int64_t k = from; k < to; k++) f(k / heads, k % heads, k, scratch.data());
    });
  }
};

struct Attention : Function<Attention> {
  static Tensor forward(AutogradContext *ctx, const Tensor &q, const c10::optional<Tensor> &other, int64_t heads,
                        bool causal, double p, uint64_t seed, bool save) {
    Tensor kv = other.value_or(Tensor());
    Layout l(q, kv, heads, causal);
    Tensor out = at::empty({l.b, l.t, l.d}, q.options());
    Tensor probs = save ? at::empty({l.b, heads, l.t, l.s}, q.options().dtype(at::kFloat)) : Tensor();
    float *pr = save ? probs.data_ptr<float>() : nullptr;
    Drop drop(seed, p);
    typed(q, [&](auto *qp) {
      using X = std::remove_pointer_t<decltype(qp)>;
      const X *cq = qp, *ckv = l.self ? nullptr : as<X>(kv);
      X *op = as<X>(out);
      l.each([&](int64_t i, int64_t h, int64_t k, float *scratch) {
        attend(l.head, l.queries(cq, i, h), l.keys(cq, ckv, i, h, 0), l.keys(cq, ckv, i, h, 1),
               Rows<X>{op + i * l.t * l.d + h * l.head.d, l.d}, pr ? pr + k * l.t * l.s : nullptr, drop,
               uint64_t(k) * l.t, scratch);
      });
    });
    if (save) {
      ctx->save_for_backward({q, kv, probs});
      ctx->saved_data["heads"] = heads;
      ctx->saved_data["causal"] = causal;
      ctx->saved_data["p"] = p;
      ctx->saved_data["seed"] = int64_t(seed);
    }
    return out;
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor q = saved[0], kv = saved[1], probs = saved[2];
    Layout l(q, kv, ctx->saved_data["heads"].toInt(), ctx->saved_data["causal"].toBool());
    Tensor g = grads[0].to(q.scalar_type()).contiguous();
    Tensor dq = at::empty_like(q), dkv = l.self ? Tensor() : at::empty_like(kv);
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    const float *pr = probs.data_ptr<float>();
    typed(q, [&](auto *qp) {
      using X = std::remove_pointer_t<decltype(qp)>;
      const X *cq = qp, *ckv = l.self ? nullptr : as<X>(kv), *gp = as<X>(g);
      X *dqp = as<X>(dq), *dkvp = l.self ? nullptr : as<X>(dkv);
      l.each([&](int64_t i, int64_t h, int64_t k, float *scratch) {
        attend_back(l.head, Rows<const X>{gp + i * l.t * l.d + h * l.head.d, l.d}, l.queries(cq, i, h),
                    l.keys(cq, ckv, i, h, 0), l.keys(cq, ckv, i, h, 1), pr + k * l.t * l.s, drop, uint64_t(k) * l.t,
                    l.queries(dqp, i, h), l.keys(dqp, dkvp, i, h, 0), l.keys(dqp, dkvp, i, h, 1), scratch);
      });
    });
    return {dq, dkv, {}, {}, {}, {}, {}};
  }
};

inline Switch short_attention("attention", "at::scaled_dot_product_attention");

// The same by libtorch's own. In training it is what at::scaled_dot_product_attention does, written
// out so that dropout is ours where that is on.
inline Tensor plain_attention(const Tensor &query, const c10::optional<Tensor> &other, int64_t heads, bool causal,
                              double p) {
  auto split = [&](const Tensor &t) { return t.unflatten(2, {heads, -1}).transpose(1, 2); };
  auto parts = other ? other->chunk(2, 2) : query.chunk(3, 2);
  Tensor q = split(other ? query : parts[0]), k = split(parts[parts.size() - 2]), v = split(parts.back()), y;
  if (query.is_cpu() && (p > 0 || recorded({query, other.value_or(Tensor())}))) {
    Tensor scores = at::matmul(q, k.transpose(2, 3)) / std::sqrt(double(q.size(3)));
    if (causal)
      scores = scores.masked_fill(at::ones({q.size(2), k.size(2)}, at::kBool).tril().logical_not(), -INFINITY);
    y = at::matmul(drop_out(at::softmax(scores, 3), p), v);
  } else {
    y = at::scaled_dot_product_attention(q, k, v, {}, p, causal);
  }
  return y.transpose(1, 2).flatten(2);
}

extern "C" char *kernels_attention(handle *out, handle q, handle kv, int64_t heads, int causal, double p) {
  return guard([&] {
    c10::optional<Tensor> other = maybe(kv);
    const Tensor &query = at_(q);
    int64_t d = query.size(2);
    if (other)
      TORCH_CHECK(other->size(0) == query.size(0) && other->size(2) == 2 * d &&
                      other->scalar_type() == query.scalar_type(),
                  "keys and values do not fit the queries");
    TORCH_CHECK(d % (heads * (other ? 1 : 3)) == 0, d, " features cannot be divided among ", heads, " heads");
    if (short_attention && query.is_cpu())
      *out = new Tensor(Attention::apply(query.contiguous(), other ? c10::optional<Tensor>(other->contiguous()) : other,
                                         heads, causal != 0, p, draw(p), recorded({query, other.value_or(Tensor())})));
    else
      *out = new Tensor(plain_attention(query, other, heads, causal != 0, p));
  });
}

} // namespace kernels
