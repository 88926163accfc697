// Dropout: y = x m / (1 - p). Each m is 1 with probability 1 - p, else 0. libtorch's dropout draws
// a number for every element, one after the other on one thread, and stores the mask for the
// backward pass. The code here does neither.
#pragma once
#include "kernels.h"
#include "op.h"

#include <ATen/CPUGeneratorImpl.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

// Drop keeps element i of a row if a hash of the seed, the row and i, scaled to [0, 1), is at least
// p. So the backward pass needs no stored mask, and the result does not depend on how the work is
// divided among threads. The hash is murmur3's finaliser, applied twice, once with each half of the
// seed.
struct Drop {
  uint32_t lo, hi, limit;
  float scale; // 1 / (1 - p)

  Drop(uint64_t seed, double p)
      : lo(uint32_t(seed)), hi(uint32_t(seed >> 32)), limit(uint32_t(p * 4294967296.0)), scale(float(1 / (1 - p))) {}

  // Returns a key for row r. Different rows have different keys, even beyond 2^32 elements.
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

// Draws a seed for dropout from the generator that shim_seed seeds and that checkpoints save.
inline uint64_t draw(double p) {
  if (p <= 0) return 0;
  auto gen = at::detail::getDefaultCPUGenerator();
  std::lock_guard<std::mutex> lock(gen.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(gen)->random64();
}

template <class X> INLINE void drop_rows_(const X *x, X *y, int64_t from, int64_t to, int64_t d, Drop drop) {
  for (int64_t r = from; r < to; r++) {
    uint32_t key = drop.row(r);
    const X *from_row = x + r * d;
    X *to_row = y + r * d;
#pragma omp simd
    for (int64_t i = 0; i < d; i++) store(to_row[i], load(from_row[i]) * drop.at(key, i));
  }
}
template <class X> void drop_rows(const X *x, X *y, int64_t from, int64_t to, int64_t d, Drop drop) {
  BY_CPU(drop_rows_(x, y, from, to, d, drop))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels {

inline Tensor dropped(const Tensor &x, Drop drop) {
  Tensor in = x.contiguous(), out = at::empty_like(in);
  int64_t d = in.dim() ? in.size(-1) : 1;
  if (in.numel() == 0) return out;
  typed(in, [&](auto *p) {
    using X = std::remove_pointer_t<decltype(p)>;
    over_rows(in.numel() / d, [&](int64_t from, int64_t to, int64_t) { drop_rows(p, as<X>(out), from, to, d, drop); });
  });
  return out;
}

struct Dropout : Function<Dropout> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, double p, uint64_t seed) {
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = int64_t(seed);
    return dropped(x, Drop(seed, p));
  }
  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    return {dropped(grads[0], drop), {}, {}};
  }
};

// Returns x with dropout, or x itself if p is 0.
inline Tensor drop_out(const Tensor &x, double p) {
  if (p <= 0) return x;
  if (x.is_cpu()) return Dropout::apply(x, p, draw(p));
  return at::dropout(x, p, true);
}

extern "C" char *kernels_dropout(handle *out, handle x, double p) {
  return guard([&] { *out = new Tensor(drop_out(at_(x), p)); });
}

} // namespace kernels
