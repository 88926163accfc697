// Loops over plain memory that the fused operations are made of: no libtorch, no threads, one range of rows at a time. They are
// written so that gcc vectorises them for whatever the CPU has.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

using vectors::Bits, vectors::fast_exp, vectors::larger;

using bf16 = uint16_t; // the upper half of a float

INLINE float load(float x) { return x; }
INLINE float load(bf16 x) {
  Bits b;
  b.u = uint32_t(x) << 16;
  return b.f;
}
INLINE void store(float &to, float x) { to = x; }
INLINE void store(bf16 &to, float x) { // to nearest, ties to even; a NaN stays one
  Bits b;
  b.f = x;
  uint32_t u = b.u, rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16, nan = (u >> 16) | 0x40;
  to = bf16((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

// Dropout keeps element i where a hash of (seed, i) is at least p of its range: nothing has to be stored for the backward pass, and the
// result does not depend on how the work is divided. The hash is murmur3's finaliser, twice, once with each half of the seed.
struct Drop {
  uint32_t lo, hi, limit;
  float scale; // 1 / (1 - p)

  Drop(uint64_t seed, double p)
      : lo(uint32_t(seed)), hi(uint32_t(seed >> 32)), limit(uint32_t(p * 4294967296.0)), scale(float(1 / (1 - p))) {}

  // row separates what lies behind 2^32 elements, and rows from each other.
  INLINE uint32_t row(uint64_t r) const { return mix(uint32_t(r) ^ lo) + uint32_t(r >> 32) * 0x9e3779b9u; }
  INLINE float at(uint32_t row, uint32_t i) const { return mix((row + i * 0x9e3779b9u) ^ hi) >= limit ? scale : 0.f; }
  static INLINE uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
  }
};

// ---- dropout of rows of d elements ----------------------------------------------------------------------------------

template <class X> INLINE void drop_rows_(const X *x, X *y, int64_t from, int64_t to, int64_t d, Drop drop) {
  for (int64_t r = from; r < to; r++) {
    uint32_t key = drop.row(r);
    const X *from_row = x + r * d;
    X *to_row = y + r * d;
#pragma omp simd
    for (int64_t i = 0; i < d; i++) store(to_row[i], load(from_row[i]) * drop.at(key, i));
  }
}
template <class X>
void drop_rows(const X *x, X *y, int64_t from, int64_t to, int64_t d, Drop drop) {
  BY_CPU(drop_rows_(x, y, from, to, d, drop))
}

// ---- layer norm of x + dropout(y) --------------------------------------------------------------------------------------

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
void add_norm_back(const float *g, const float *hat, const float *rstd, Norm n, Drop drop, float *dx, X *dy, float
                   *dw, float *db, int64_t from, int64_t to) {
  BY_CPU(add_norm_back_(g, hat, rstd, n, drop, dx, dy, dw, db, from, to))
}

// ---- dropout(relu(y)) in place, and back ---------------------------------------------------------------------------------

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
template <class X>
void relu_drop(X *y, int64_t from, int64_t to, int64_t d, Drop drop) {
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
template <class X>
void relu_drop_back(const X *g, const X *y, X *out, int64_t from, int64_t to, float scale) {
  BY_CPU(relu_drop_back_(g, y, out, from, to, scale))
}

// Sums of columns [from, to) over n rows of d elements.
template <class G> INLINE void column_sums_(const G *g, float *sums, int64_t n, int64_t d, int64_t from, int64_t to) {
  for (int64_t r = 0; r < n; r++) {
#pragma omp simd
    for (int64_t i = from; i < to; i++) sums[i] += load(g[r * d + i]);
  }
}
template <class X>
void column_sums(const X *g, float *sums, int64_t n, int64_t d, int64_t from, int64_t to) {
  BY_CPU(column_sums_(g, sums, n, d, from, to))
}

// ---- embedding -------------------------------------------------------------------------------------------------------------

// out[r] = dropout(table[ids[r]] * scale + places[r % t]).
INLINE void embed_rows_(const float *table, const int64_t *ids, const float *places, float scale, int64_t t,
                              int64_t d, Drop drop, float *out, int64_t from, int64_t to) {
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

inline void embed_rows(const float *table, const int64_t *ids, const float *places, float scale, int64_t t, int64_t d, Drop drop,
                       float *out, int64_t from, int64_t to) {
  BY_CPU(embed_rows_(table, ids, places, scale, t, d, drop, out, from, to))
}

// Adds columns [from, to) of every row of g to the table's gradient, row after row: the order of the sums is fixed.
INLINE void embed_back_(const float *g, const int64_t *ids, float scale, int64_t n, int64_t d, Drop drop,
                              float *grad, int64_t from, int64_t to) {
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
inline void embed_back(const float *g, const int64_t *ids, float scale, int64_t n, int64_t d, Drop drop, float *grad, int64_t from,
                       int64_t to) {
  BY_CPU(embed_back_(g, ids, scale, n, d, drop, grad, from, to))
}

// ---- cross-entropy of rows of logits ------------------------------------------------------------------------------------------

// Adds -log softmax(logits)[target] of the rows to each row's loss; with grad the logits become softmax - onehot, times weight.
template <class L>
INLINE void softmax_rows_(L *logits, const int64_t *target, double *loss, int64_t from, int64_t to, int64_t v,
                          float weight, bool grad, float *scratch) {
  for (int64_t r = from; r < to; r++) {
    L *row = logits + r * v;
    float top = -INFINITY, sum = 0;
#pragma omp simd reduction(max : top)
    for (int64_t i = 0; i < v; i++) {
      float x = load(row[i]);
      top = x > top ? x : top;
    }
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < v; i++) {
      float e = fast_exp(load(row[i]) - top);
      scratch[i] = e;
      sum += e;
    }
    loss[r] = std::log(double(sum)) + top - load(row[target[r]]);
    if (!grad) continue;
    float s = weight / sum;
    scratch[target[r]] -= sum;
#pragma omp simd
    for (int64_t i = 0; i < v; i++) store(row[i], scratch[i] * s);
  }
}
template <class X>
void softmax_rows(X *logits, const int64_t *target, double *loss, int64_t from, int64_t to, int64_t v, float weight,
                  bool grad, float *scratch) {
  BY_CPU(softmax_rows_(logits, target, loss, from, to, v, weight, grad, scratch))
}

// ---- attention of one head of one sentence -----------------------------------------------------------------------------------

// Where a head's rows lie: row i starts at p + i * step.
template <class X> struct Rows {
  X *p;
  int64_t step;
};

struct Head {
  int64_t t, s, d; // queries, keys, width of a head
  bool causal;
  float scale; // 1 / sqrt(d)
  INLINE int64_t keys(int64_t i) const { return causal && i + 1 < s ? i + 1 : s; }
};

// Rows of a head are copied to scratch as floats, padded with zeros to whole vectors; of keys or values also the transpose.
inline int64_t wide(int64_t n) { return (n + 15) / 16 * 16; }
inline int64_t attention_scratch(int64_t t, int64_t s, int64_t d) {
  return (2 * t + 2 * s) * wide(d) + 2 * t * wide(s) + wide(d) * wide(s) + 2 * wide(s) + 2 * wide(d);
}

template <class X> INLINE void copy_rows(Rows<const X> from, float *to, int64_t n, int64_t d) {
  int64_t w = wide(d);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t c = 0; c < d; c++) to[i * w + c] = load(from.p[i * from.step + c]);
    for (int64_t c = d; c < w; c++) to[i * w + c] = 0;
  }
}
INLINE void transpose_rows(const float *from, float *to, int64_t n, int64_t d) {
  int64_t w = wide(n), ld = wide(d);
  for (int64_t c = 0; c < d; c++) {
    for (int64_t i = 0; i < n; i++) to[c * w + i] = from[i * ld + c];
    for (int64_t i = n; i < w; i++) to[c * w + i] = 0;
  }
}

// out[0..width) = sum over k < n of a[k * step] * b[k * ld + 0..width), W columns at a time in registers.
template <int W>
INLINE void combine_(const float *a, int64_t step, const float *b, int64_t ld, int64_t n, float *out) {
  float sum[W] = {0};
  for (int64_t k = 0; k < n; k++) {
    float x = a[k * step];
#pragma omp simd
    for (int i = 0; i < W; i++) sum[i] += x * b[k * ld + i];
  }
  for (int i = 0; i < W; i++) out[i] = sum[i];
}
INLINE void combine(const float *a, int64_t step, const float *b, int64_t ld, int64_t n, float *out, int64_t width) {
  int64_t at = 0;
  for (; at + 64 <= width; at += 64) combine_<64>(a, step, b + at, ld, n, out + at);
  for (; at < width; at += 16) combine_<16>(a, step, b + at, ld, n, out + at);
}

// out = dropout(softmax(q k^T / sqrt(d))) v; the weights before dropout go to probs [t, s] unless it is null. first is the number of
// the head's first weight row among all, for dropout.
template <class X>
INLINE void attend_(Head h, Rows<const X> q, Rows<const X> k, Rows<const X> v, Rows<X> out, float *probs, Drop drop,
                    uint64_t first, float *scratch) {
  int64_t w = wide(h.s), d = h.d, ld = wide(d);
  float *qf = scratch, *kf = qf + h.t * ld, *vf = kf + h.s * ld, *kt = vf + h.s * ld, *p = kt + ld * w, *o = p + w;
  copy_rows(q, qf, h.t, d);
  copy_rows(k, kf, h.s, d);
  copy_rows(v, vf, h.s, d);
  transpose_rows(kf, kt, h.s, d);
  for (int64_t i = 0; i < h.t; i++) {
    int64_t n = h.keys(i);
    combine(qf + i * ld, 1, kt, w, d, p, w);
    float top = -INFINITY, sum = 0;
#pragma omp simd reduction(max : top)
    for (int64_t j = 0; j < w; j++) {
      float x = j < n ? p[j] * h.scale : -INFINITY;
      p[j] = x;
      top = x > top ? x : top;
    }
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < w; j++) {
      p[j] = fast_exp(p[j] - top);
      sum += p[j];
    }
    float r = 1 / sum;
#pragma omp simd
    for (int64_t j = 0; j < w; j++) p[j] *= r;
    if (probs)
      for (int64_t j = 0; j < h.s; j++) probs[i * h.s + j] = p[j];
    if (drop.limit) {
      uint32_t key = drop.row(first + i);
#pragma omp simd
      for (int64_t j = 0; j < w; j++) p[j] *= drop.at(key, j);
    }
    combine(p, 1, vf, ld, n, o, ld);
    X *to = out.p + i * out.step;
#pragma omp simd
    for (int64_t c = 0; c < d; c++) store(to[c], o[c]);
  }
}

// dq, dk and dv from g = d out.
template <class X>
INLINE void attend_back_(Head h, Rows<const X> g, Rows<const X> q, Rows<const X> k, Rows<const X> v, const float *probs,
                         Drop drop, uint64_t first, Rows<X> dq, Rows<X> dk, Rows<X> dv, float *scratch) {
  int64_t w = wide(h.s), d = h.d, ld = wide(d);
  float *qf = scratch, *gf = qf + h.t * ld, *kf = gf + h.t * ld, *vf = kf + h.s * ld, *vt = vf + h.s * ld;
  float *ds = vt + ld * w, *dropped = ds + h.t * w, *p = dropped + h.t * w, *o = p + w; // d scores and the weights after dropout [t, w]
  copy_rows(q, qf, h.t, d);
  copy_rows(g, gf, h.t, d);
  copy_rows(k, kf, h.s, d);
  copy_rows(v, vf, h.s, d);
  transpose_rows(vf, vt, h.s, d);
  for (int64_t i = 0; i < h.t; i++) {
    float *s = ds + i * w, *kept = dropped + i * w, dot = 0;
    uint32_t key = drop.row(first + i);
    for (int64_t j = 0; j < h.s; j++) p[j] = probs[i * h.s + j];
    for (int64_t j = h.s; j < w; j++) p[j] = 0; // as the weights that are hidden
    combine(gf + i * ld, 1, vt, w, d, s, w);
#pragma omp simd reduction(+ : dot)
    for (int64_t j = 0; j < w; j++) {
      float keep = drop.limit ? drop.at(key, j) : 1.f;
      kept[j] = p[j] * keep;
      s[j] *= keep;
      dot += s[j] * p[j];
    }
#pragma omp simd
    for (int64_t j = 0; j < w; j++) s[j] = p[j] * (s[j] - dot) * h.scale;
    combine(s, 1, kf, ld, h.s, o, ld);
    X *to = dq.p + i * dq.step;
#pragma omp simd
    for (int64_t c = 0; c < d; c++) store(to[c], o[c]);
  }
  for (int64_t j = 0; j < h.s; j++) {
    X *to = dk.p + j * dk.step;
    combine(ds + j, w, qf, ld, h.t, o, ld);
#pragma omp simd
    for (int64_t c = 0; c < d; c++) store(to[c], o[c]);
    to = dv.p + j * dv.step;
    combine(dropped + j, w, gf, ld, h.t, o, ld);
#pragma omp simd
    for (int64_t c = 0; c < d; c++) store(to[c], o[c]);
  }
}

template <class X>
void attend(Head h, Rows<const X> q, Rows<const X> k, Rows<const X> v, Rows<X> out, float *probs, Drop drop, uint64_t first,
            float *scratch) {
  BY_CPU(attend_(h, q, k, v, out, probs, drop, first, scratch))
}
template <class X>
void attend_back(Head h, Rows<const X> g, Rows<const X> q, Rows<const X> k, Rows<const X> v, const float *probs, Drop drop,
                 uint64_t first, Rows<X> dq, Rows<X> dk, Rows<X> dv, float *scratch) {
  BY_CPU(attend_back_(h, g, q, k, v, probs, drop, first, dq, dk, dv, scratch))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
