// The cosine of every vector with the mean of its group, x m / (|x| |m|). The conicity of the
// Diversity-LSTM is computed from these cosines. The forward pass and the backward pass process
// each group in one go, while it is in the cache. libtorch's operations take about twenty passes
// over the vectors.
#pragma once
#include "kernels.h"
#include "op.h"

#include <cmath>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno") // see BY_CPU
#endif

namespace kernels::cosine {

constexpr int kLanes = 32;

INLINE float dot_(const float *x, const float *y, int64_t n) {
  float lanes[kLanes] = {0}, total = 0;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; k++) lanes[k] += x[i + k] * y[i + k];
  for (; i < n; i++) total += x[i] * y[i];
  for (int k = 0; k < kLanes; k++) total += lanes[k];
  return total;
}

float dot(const float *x, const float *y, int64_t n) { BY_CPU(dot_(x, y, n)) }

INLINE void axpy_(float a, const float *__restrict x, float *__restrict y, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

// y += a x
void axpy(float a, const float *x, float *y, int64_t n) { BY_CPU(axpy_(a, x, y, n)) }

INLINE void combine_(float a, const float *__restrict x, float b, const float *__restrict y, const float *__restrict z,
                     float *__restrict out, int64_t n) {
  for (int64_t i = 0; i < n; i++) out[i] = a * x[i] + b * y[i] + z[i];
}

// out = a x + b y + z
void combine(float a, const float *x, float b, const float *y, const float *z, float *out, int64_t n) {
  BY_CPU(combine_(a, x, b, y, z, out, n))
}

} // namespace kernels::cosine

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels::cosine {

// The sizes of a tensor [B, T, n]: B sentences, each with T states of n numbers.
struct Sentences {
  int64_t count, size, n;
  explicit Sentences(at::IntArrayRef z) : count(z[0]), size(z[1]), n(z[2]) {}
};

// The minimum length of a vector, as in torch.cosine_similarity. A shorter vector is treated as if
// it had this length. The length is then a constant, with derivative 0.
constexpr float kEps = 1e-8f;

float mean(const Sentences &g, const float *x, float *m) {
  std::fill(m, m + g.n, 0.f);
  for (int64_t k = 0; k < g.size; k++) axpy(1.f / g.size, x + k * g.n, m, g.n);
  return std::sqrt(dot(m, m, g.n));
}

// Computes the gradient dx of a sentence. cos = x m / (|x| |m|) has the derivative d cos / d x = m
// / (|x| |m|) - cos x / |x|^2, and a corresponding derivative for m. m is the mean of the states,
// so its derivative is divided equally among all states of the sentence.
void sentence_backward(const Sentences &g, const float *x, const float *dcos, float *dx, std::vector<float> &room) {
  room.resize(2 * g.n);
  float *m = room.data(), *dm = m + g.n, lm = mean(g, x, m), to_m = 0, one = std::max(lm, kEps);
  std::vector<float> by_m(g.size), by_x(g.size);
  std::fill(dm, dm + g.n, 0.f);
  for (int64_t k = 0; k < g.size; k++) {
    const float *v = x + k * g.n;
    float lx = std::sqrt(dot(v, v, g.n)), other = std::max(lx, kEps), d = dcos[k];
    float cosine = dot(v, m, g.n) / (one * other);
    by_m[k] = d / (one * other);
    by_x[k] = lx > kEps ? -d * cosine / (lx * lx) : 0;
    if (lm > kEps) to_m -= d * cosine / (lm * lm);
    axpy(by_m[k] / g.size, v, dm, g.n);
  }
  axpy(to_m / g.size, m, dm, g.n);
  for (int64_t k = 0; k < g.size; k++)
    combine(by_m[k], m, by_x[k], x + k * g.n, dm, dx + k * g.n, g.n);
}

struct MeanCosine : torch::autograd::Function<MeanCosine> {
  static Tensor forward(torch::autograd::AutogradContext *ctx, const Tensor &given) {
    Tensor x = given.contiguous(), out = at::empty({x.size(0), x.size(1)}, x.options());
    ctx->save_for_backward({x});
    Sentences g(x.sizes());
    const float *from = x.data_ptr<float>();
    float *to = out.data_ptr<float>();
    threads::parallel_for(0, g.count, 1, [&](int64_t a, int64_t b) {
      std::vector<float> m(g.n);
      for (; a < b; a++) {
        const float *v = from + a * g.size * g.n;
        float one = std::max(mean(g, v, m.data()), kEps);
        for (int64_t k = 0; k < g.size; k++, v += g.n)
          to[a * g.size + k] = dot(v, m.data(), g.n) / (one * std::max(std::sqrt(dot(v, v, g.n)), kEps));
      }
    });
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *ctx,
                                                 torch::autograd::variable_list grads) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "the cosine with a mean has no second derivative; take the first without recording it");
    Tensor x = ctx->get_saved_variables()[0], dcos = grads[0].contiguous(), dx = at::empty_like(x);
    Sentences g(x.sizes());
    threads::parallel_for(0, g.count, 1, [&](int64_t a, int64_t b) {
      std::vector<float> room;
      for (; a < b; a++)
        sentence_backward(g, x.data_ptr<float>() + a * g.size * g.n, dcos.data_ptr<float>() + a * g.size,
                          dx.data_ptr<float>() + a * g.size * g.n, room);
    });
    return {dx};
  }
};

extern "C" char *kernels_mean_cosine(handle *out, handle hx) {
  return guard([&] {
    const Tensor &x = at_(hx);
    TORCH_CHECK(x.dim() == 3, "x is ", x.sizes(), ", not [B, T, n]");
    if (x.is_cpu() && x.scalar_type() == at::kFloat && x.numel() > 0)
      *out = new Tensor(MeanCosine::apply(x));
    else
      *out = new Tensor(at::cosine_similarity(x, x.mean(1, true), 2, kEps));
  });
}

} // namespace kernels::cosine
