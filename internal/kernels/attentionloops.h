// The loops of attention.h: one head of one sentence.
#pragma once
#include "dropout.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

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

// Rows of a head are copied to scratch as floats, padded with zeros to whole vectors; of keys or
// values also the transpose.
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

// out[0..width) = sum over k < n of a[k * step] * b[k * ld + 0..width), W columns at a time in
// registers.
template <int W> INLINE void combine_(const float *a, int64_t step, const float *b, int64_t ld, int64_t n, float *out) {
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

// out = dropout(softmax(q k^T / sqrt(d))) v; the weights before dropout go to probs [t, s] unless
// it is null. first is the number of the head's first weight row among all, for dropout.
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
  // D scores and the weights after dropout [t, w].
  float *ds = vt + ld * w, *dropped = ds + h.t * w, *p = dropped + h.t * w, *o = p + w;
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
void attend(Head h, Rows<const X> q, Rows<const X> k, Rows<const X> v, Rows<X> out, float *probs, Drop drop,
            uint64_t first, float *scratch) {
  BY_CPU(attend_(h, q, k, v, out, probs, drop, first, scratch))
}
template <class X>
void attend_back(Head h, Rows<const X> g, Rows<const X> q, Rows<const X> k, Rows<const X> v, const float *probs,
                 Drop drop, uint64_t first, Rows<X> dq, Rows<X> dk, Rows<X> dv, float *scratch) {
  BY_CPU(attend_back_(h, g, q, k, v, probs, drop, first, dq, dk, dv, scratch))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
