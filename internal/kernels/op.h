// Helpers for operations that compute their own gradient. They tell whether autograd must record an
// operation, access elements by type, and loop over rows or columns so that sums do not depend on
// the number of threads.
#pragma once
#include "handles.h"
#include "parallel.h"
#include "vectors.h"

#include <vector>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using Tensors = torch::autograd::variable_list;
using vectors::bf16, vectors::fast_exp, vectors::larger, vectors::load, vectors::store;

inline bool recorded(std::initializer_list<Tensor> inputs) {
  if (!at::GradMode::is_enabled()) return false;
  for (const Tensor &t : inputs)
    if (t.defined() && t.requires_grad()) return true;
  return false;
}

// Calls f with a pointer to x's elements, whose type is float or bf16.
template <class F> void typed(const Tensor &x, F f) {
  if (x.scalar_type() == at::kBFloat16)
    f(reinterpret_cast<bf16 *>(x.data_ptr<at::BFloat16>()));
  else
    f(x.data_ptr<float>());
}
template <class X> X *as(const Tensor &t) { return reinterpret_cast<X *>(t.data_ptr()); }

// The number of rows in a block. Sums over rows are kept per block, so that they do not depend on
// the number of threads.
constexpr int64_t kRows = 64;

template <class F> void over_rows(int64_t n, F f) {
  threads::parallel_for(0, (n + kRows - 1) / kRows, 1, [&](int64_t a, int64_t b) {
    for (int64_t k = a; k < b; k++) f(k * kRows, std::min(n, (k + 1) * kRows), k);
  });
}

// Calls f(from, to) for ranges of columns. Ranges are divided at multiples of 64, which are borders
// of cache lines.
template <class F> void over_columns(int64_t d, F f) {
  threads::parallel_for(0, (d + 63) / 64, 1, [&](int64_t a, int64_t b) { f(a * 64, std::min(d, b * 64)); });
}

inline void check_ids(const Tensor &ids, int64_t n) {
  const int64_t *p = ids.data_ptr<int64_t>();
  for (int64_t i = 0; i < ids.numel(); i++)
    TORCH_CHECK_INDEX(p[i] >= 0 && p[i] < n, "index out of range: ", p[i], " of ", n);
}

// Adds element i of each of the n rows to sums[i], for every i with from <= i < to. A row has d
// elements.
template <class G> INLINE void column_sums_(const G *g, float *sums, int64_t n, int64_t d, int64_t from, int64_t to) {
  for (int64_t r = 0; r < n; r++) {
#pragma omp simd
    for (int64_t i = from; i < to; i++) sums[i] += load(g[r * d + i]);
  }
}
template <class X> void column_sums(const X *g, float *sums, int64_t n, int64_t d, int64_t from, int64_t to) {
  BY_CPU(column_sums_(g, sums, n, d, from, to))
}

inline Tensor column_sums(const Tensor &g) {
  Tensor sums = at::zeros({g.size(1)}, g.options().dtype(at::kFloat));
  over_columns(g.size(1), [&](int64_t from, int64_t to) {
    typed(g, [&](auto *p) { column_sums(p, sums.data_ptr<float>(), g.size(0), g.size(1), from, to); });
  });
  return sums;
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
