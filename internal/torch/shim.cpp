// See shim.h. Kept small: whatever gotch's generated C API can do is done through it.
#include "handles.h"
#include "isa.h"
#include "parallel.h"
#include "vectors.h"

#include <dlfcn.h>
#include <malloc.h>

#include <cmath>
#include <string>
#include <vector>

using torch::Tensor;

namespace {

// A step frees and asks for the same big blocks again and again: keep them instead of giving the pages back and faulting them in
// anew (about a tenth of a step). One arena, because torch has one thread that allocates.
const bool heap_tuned = [] {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  return true;
}();

// Chunks are of fixed size, so that sums do not depend on the number of threads.
constexpr int64_t kChunk = 1 << 15;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno") // see BY_CPU
#endif

INLINE double sum_squares_(const float *g, int64_t n) {
  float lanes[64] = {0}; // short float sums, then doubles: exact enough and fast
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

// Kingma and Ba 2015, algorithm 1, in the order of torch.optim.Adam:
// p -= lr / bias1 * m / (sqrt(v) / sqrt(bias2) + eps). rest is 1 - b, taken in double: in float 1 - 0.999 is off by 1e-5 of itself.
INLINE void adam_chunk_(float *__restrict p, float *__restrict m, float *__restrict v, const float *__restrict g, int64_t n, float scale,
                        float b1, float rest1, float b2, float rest2, float step, float root2, float eps) {
  for (int64_t i = 0; i < n; i++) {
    float x = g[i] * scale;
    m[i] = b1 * m[i] + rest1 * x;
    v[i] = b2 * v[i] + rest2 * x * x;
    p[i] -= step * m[i] / (__builtin_sqrtf(v[i]) / root2 + eps); // std::sqrt would not be inlined here
  }
}

double sum_squares(const float *g, int64_t n) { BY_CPU(sum_squares_(g, n)) }
void adam_chunk(float *p, float *m, float *v, const float *g, int64_t n, float scale, float b1, float rest1, float b2, float rest2,
                float step, float root2, float eps) {
  BY_CPU(adam_chunk_(p, m, v, g, n, scale, b1, rest1, b2, rest2, step, root2, eps))
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

double squares(const Tensor &grad) {
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

} // namespace

char *shim_seed(uint64_t seed) {
  return guard([&] { torch::manual_seed(seed); });
}

void shim_threads(int n) { at::set_num_threads(n); }
int shim_get_threads(void) { return at::get_num_threads(); }
// Bytes that malloc has handed out, tensors' memory included; 0 where the C library cannot tell.
uint64_t shim_heap(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}
void shim_trim(void) { malloc_trim(0); }
const char *shim_version(void) { return TORCH_VERSION; }

const char *shim_cpu(void) {
  switch (isa::level()) {
  case isa::avx512: return "AVX512";
  case isa::avx2: return "AVX2";
  default: return "SSE2";
  }
}

int shim_cpu_bf16(void) { return isa::bf16(); }

int shim_open_cuda(const char *path, char **why) {
  if (dlopen(path, RTLD_NOW | RTLD_GLOBAL)) return 1;
  *why = strdup(dlerror());
  return 0;
}

// One Adam step over all parameters that have a gradient, which is scaled first. The joint norm is written to *norm; with max_norm > 0
// gradients are clipped as torch.nn.utils.clip_grad_norm_ does. If the norm is not finite nothing is changed and
// *bad is the first parameter at fault, else -1.
char *shim_adam(handle *params, handle *m, handle *v, int n, double lr, double beta1, double beta2, double eps,
                double bias1, double bias2, double max_norm, double scale, double *norm, int64_t *bad) {
  return guard([&] {
    torch::NoGradGuard no_grad;
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
    *norm = scale * std::sqrt(total);
    if (*bad >= 0) return;
    if (max_norm > 0) scale *= std::min(1.0, max_norm / (*norm + 1e-6));
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

char *shim_zero_grad(handle *params, int n) {
  return guard([&] {
    for (int i = 0; i < n; i++) at_(params[i]).mutable_grad().reset();
  });
}

char *shim_grad_of(handle *out, handle param) {
  return guard([&] {
    const Tensor &g = at_(param).grad();
    *out = g.defined() ? new Tensor(g) : nullptr;
  });
}

// Gradients of the sum of all outputs with respect to inputs, parameters' own .grad untouched.
char *shim_grad(handle *out, handle *outputs, int nout, handle *inputs, int nin, int keep) {
  return guard([&] {
    std::vector<Tensor> ys, xs, seeds;
    for (int i = 0; i < nout; i++) {
      ys.push_back(at_(outputs[i]));
      seeds.push_back(torch::ones_like(ys.back()));
    }
    for (int i = 0; i < nin; i++) xs.push_back(at_(inputs[i]));
    auto gs = torch::autograd::grad(ys, xs, seeds, keep != 0, false, true);
    for (int i = 0; i < nin; i++) out[i] = new Tensor(gs[i].defined() ? gs[i] : torch::zeros_like(xs[i]));
  });
}
