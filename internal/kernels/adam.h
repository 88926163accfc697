// One step of Adam for all parameters (Kingma and Ba 2015, algorithm 1), with gradients clipped to
// a joint norm. It passes over the weights twice, once for the norm and once for the update.
// libtorch makes about eight passes.
#pragma once
#include "kernels.h"
#include "op.h"

#include <cmath>

// GCC reads the pragma below too late: it has already decided that sqrtf may set errno. Without
// this declaration, it would call sqrtf for one number at a time.
extern "C" float sqrtf(float) noexcept __attribute__((const));

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno") // see BY_CPU
#endif

namespace kernels::adam {

// Chunks have a fixed size, so that sums do not depend on the number of threads.
constexpr int64_t kChunk = 1 << 15;

INLINE double sum_squares_(const float *g, int64_t n) {
  float lanes[64] = {0}; // a lane sums up to 64 numbers in float; lanes are added in double
  double total = 0;
  int64_t i = 0;
  while (i + 64 <= n) {
    int64_t stop = std::min(n - 63, i + 64 * 64);
    for (; i < stop; i += 64)
      for (int k = 0; k < 64; k++) lanes[k] += g[i + k] * g[i + k];
    for (int k = 0; k < 64; k++) {
      total += lanes[k];
      lanes[k] = 0;
    }
  }
  for (; i < n; i++) total += double(g[i]) * g[i];
  return total;
}

// Updates a chunk as algorithm 1 of Kingma and Ba 2015 does, in the order of torch.optim.Adam: p -=
// lr / bias1 * m / (sqrt(v) / sqrt(bias2) + eps). step is lr / bias1 and root2 is sqrt(bias2).
// rest1 and rest2 are 1 - b1 and 1 - b2, computed in double, because in float, 1 - 0.999 has a
// relative error of 1e-5.
INLINE void adam_chunk_(float *__restrict p, float *__restrict m, float *__restrict v, const float *__restrict g,
                        int64_t n, float scale, float b1, float rest1, float b2, float rest2, float step, float root2,
                        float eps) {
  for (int64_t i = 0; i < n; i++) {
    float x = g[i] * scale;
    m[i] = b1 * m[i] + rest1 * x;
    v[i] = b2 * v[i] + rest2 * x * x;
    p[i] -= step * m[i] / (sqrtf(v[i]) / root2 + eps); // std::sqrt would not be inlined here
  }
}

double sum_squares(const float *g, int64_t n) { BY_CPU(sum_squares_(g, n)) }
void adam_chunk(float *p, float *m, float *v, const float *g, int64_t n, float scale, float b1, float rest1, float b2,
                float rest2, float step, float root2, float eps) {
  BY_CPU(adam_chunk_(p, m, v, g, n, scale, b1, rest1, b2, rest2, step, root2, eps))
}

} // namespace kernels::adam

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels::adam {

inline double squares(const Tensor &grad) {
  const float *g = grad.data_ptr<float>();
  int64_t n = grad.numel(), chunks = (n + kChunk - 1) / kChunk;
  std::vector<double> part(chunks);
  threads::parallel_for(0, chunks, 1, [&](int64_t a, int64_t b) {
    for (int64_t c = a; c < b; c++) part[c] = sum_squares(g + c * kChunk, std::min(kChunk, n - c * kChunk));
  });
  double total = 0;
  for (double x : part) total += x;
  return total;
}

// Does one Adam step for all parameters that have a gradient, and sets *norm to the joint norm of
// the gradients. If max_norm > 0, gradients are clipped as by torch.nn.utils.clip_grad_norm_.
// If the norm is not finite, nothing changes, and *bad is the index of the first bad parameter.
// Otherwise *bad is -1.
extern "C" char *kernels_adam(handle *params, handle *m, handle *v, int n, double lr, double beta1,
                              double beta2, double eps, double bias1, double bias2, double max_norm, double *norm,
                              int64_t *bad) {
  return guard([&] {
    at::NoGradGuard no_grad;
    *bad = -1;
    double total = 0;
    std::vector<Tensor> grads(n);
    for (int i = 0; i < n; i++) {
      const Tensor &g = at_(params[i]).grad();
      if (!g.defined()) continue;
      grads[i] = g.contiguous();
      double s = squares(grads[i]);
      if (!std::isfinite(s) && *bad < 0) *bad = i;
      total += s;
    }
    *norm = std::sqrt(total);
    if (*bad >= 0) return;
    double scale = max_norm > 0 ? std::min(1.0, max_norm / (*norm + 1e-6)) : 1;
    for (int i = 0; i < n; i++) {
      if (!grads[i].defined()) continue;
      float *p = at_(params[i]).data_ptr<float>();
      float *pm = at_(m[i]).data_ptr<float>(), *pv = at_(v[i]).data_ptr<float>();
      const float *g = grads[i].data_ptr<float>();
      int64_t count = grads[i].numel(), chunks = (count + kChunk - 1) / kChunk;
      threads::parallel_for(0, chunks, 1, [&](int64_t a, int64_t b) {
        int64_t from = a * kChunk, to = std::min(count, b * kChunk);
        adam_chunk(p + from, pm + from, pv + from, g + from, to - from, scale, beta1, 1 - beta1, beta2, 1 - beta2,
                   lr / bias1, std::sqrt(bias2), eps);
      });
    }
  });
}

} // namespace kernels::adam
