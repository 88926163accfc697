// Attention in a decoder step, softmax(q k^T / sqrt(d)) v. Each position attends to its own rows of
// a cache of keys and values. Unlike libtorch's attention, it does not have to gather the rows or
// pad them to the longest span.
#pragma once
#include "kernels.h"
#include "op.h"

#include <cmath>
#include <limits>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "no-signed-zeros", "associative-math") // see BY_CPU
#endif

namespace kernels {

// Returns x rounded to bfloat16.
INLINE float halved(float x) {
  bf16 to;
  store(to, x);
  return load(to);
}

// Computes attention for one position and all heads. The position attends to the rows slots[start],
// ..., slots[start+length-1] of kv or, if slots is null, to the rows start, ..., start+length-1. w
// is working memory for heads * length weights. If half is set, scores and weights are rounded to
// bfloat16, like the results of bfloat16 products.
INLINE void attend_row_(const float *__restrict q, const float *__restrict kv, int64_t stride, const int32_t *slots,
                        int64_t start, int64_t length, int64_t heads, int64_t width, float scale, bool half,
                        float *__restrict w, float *__restrict out) {
  for (int64_t j = 0; j < length; j++) {
    const float *k = kv + (slots ? slots[start + j] : start + j) * stride;
    for (int64_t h = 0; h < heads; h++) {
      float sum = 0;
      for (int64_t e = 0; e < width; e++) sum += q[h * width + e] * k[h * width + e];
      w[h * length + j] = (half ? halved(sum) : sum) * scale;
    }
  }
  for (int64_t h = 0; h < heads; h++) {
    float *p = w + h * length, top = p[0], sum = 0;
    for (int64_t j = 1; j < length; j++) top = p[j] > top ? p[j] : top;
    for (int64_t j = 0; j < length; j++) sum += p[j] = fast_exp(p[j] - top);
    for (int64_t j = 0; j < length; j++) p[j] /= sum;
    if (half)
      for (int64_t j = 0; j < length; j++) p[j] = halved(p[j]);
  }
  for (int64_t e = 0; e < heads * width; e++) out[e] = 0;
  for (int64_t j = 0; j < length; j++) {
    const float *v = kv + (slots ? slots[start + j] : start + j) * stride + heads * width;
    for (int64_t h = 0; h < heads; h++)
      for (int64_t e = 0; e < width; e++) out[h * width + e] += w[h * length + j] * v[h * width + e];
  }
}

void attend_row(const float *q, const float *kv, int64_t stride, const int32_t *slots, int64_t start, int64_t length,
                int64_t heads, int64_t width, float scale, bool half, float *w, float *out) {
  BY_CPU(attend_row_(q, kv, stride, slots, start, length, heads, width, scale, half, w, out))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels {

// Does the work of attend_row for all positions with libtorch's operations. It is used on other
// devices than the CPU, and for doubles.
Tensor attend_plain(const Tensor &q, const Tensor &kv, int64_t heads, const int32_t *slots, const int32_t *start,
                    const int32_t *length, int64_t n, bool half) {
  if (n == 0) return q;
  auto rounded = [half](const Tensor &x) { return half ? x.to(at::kBFloat16).to(x.scalar_type()) : x; };
  int64_t d = q.size(1), width = d / heads, longest = *std::max_element(length, length + n);
  Tensor index = at::zeros({n, longest}, at::kLong), hidden = at::zeros({n, 1, 1, longest}, at::kFloat);
  int64_t *at = index.data_ptr<int64_t>();
  float *hide = hidden.data_ptr<float>();
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < longest; j++)
      if (j < length[i])
        at[i * longest + j] = slots ? slots[start[i] + j] : start[i] + j;
      else
        hide[i * longest + j] = -std::numeric_limits<float>::infinity();
  Tensor rows =
      kv.index_select(0, index.flatten().to(kv.device())).view({n, longest, 2, heads, width}).permute({2, 0, 3, 1, 4});
  Tensor scores =
      rounded(at::matmul(q.reshape({n, heads, 1, width}), rows[0].transpose(2, 3))) / std::sqrt(double(width));
  return at::matmul(rounded((scores + hidden.to(kv.device())).softmax(-1)), rows[1]).reshape({n, d});
}

// In kernels_attend, position i of q [n, d] attends to the rows slots[start[i]], ...,
// slots[start[i]+length[i]-1] of kv [s, 2d]. If slots is null, it attends to the rows start[i],
// ..., start[i]+length[i]-1. A row of kv has the keys first and then the values.
extern "C" char *kernels_attend(handle *out, handle q, handle kv, int64_t heads, const int32_t *slots, int64_t nslots,
                                const int32_t *start, const int32_t *length, int64_t n, int half) {
  return guard([&] {
    Tensor x = at_(q).contiguous();
    const Tensor &cache = at_(kv);
    TORCH_CHECK(x.size(0) == n && cache.is_contiguous() && cache.size(1) == 2 * x.size(1) && x.size(1) % heads == 0,
                "shapes differ");
    int64_t most = slots ? nslots : cache.size(0);
    for (int64_t i = 0; i < n; i++)
      TORCH_CHECK(start[i] >= 0 && length[i] > 0 && start[i] + length[i] <= most, "a span of another cache");
    for (int64_t i = 0; slots && i < nslots; i++)
      TORCH_CHECK(slots[i] >= 0 && slots[i] < cache.size(0), "a slot of another cache");
    if (!cache.is_cpu() || cache.scalar_type() != at::kFloat) {
      *out = new Tensor(attend_plain(x, cache, heads, slots, start, length, n, half != 0));
      return;
    }
    int64_t d = x.size(1);
    Tensor y = at::empty({n, d}, x.options());
    const float *from = x.data_ptr<float>(), *store = cache.data_ptr<float>();
    float *to = y.data_ptr<float>();
    float scale = 1 / std::sqrt(static_cast<float>(d / heads));
    threads::parallel_for(0, n, 8, [&](int64_t a, int64_t b) {
      std::vector<float> w(heads * *std::max_element(length + a, length + b));
      for (int64_t i = a; i < b; i++)
        attend_row(from + i * d, store, 2 * d, slots, start[i], length[i], heads, d / heads, scale, half != 0,
                   w.data(),
                   to + i * d);
    });
    *out = new Tensor(y);
  });
}

} // namespace kernels
