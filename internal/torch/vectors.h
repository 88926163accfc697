// What loops over plain memory need to be vectorised by the compiler for whatever the CPU has.
#pragma once
#include <cstdint>

// CLONES compiles a function for AVX-512, AVX2 and the rest, CLONES_WITH with optimisations of its own too: "no-math-errno" and
// "no-trapping-math", as otherwise the compiler keeps errno and exceptions of square roots and of rounding in order, one number at a
// time. cgo takes no such flags for all.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define CLONES_WITH(...) __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3", __VA_ARGS__)))
#else
#define CLONES
#define CLONES_WITH(...)
#endif
#define INLINE inline __attribute__((always_inline))

namespace vectors {

// A float and its bits. memcpy would take the address of a variable, and a loop over it would then not be vectorised.
union Bits {
  uint32_t u;
  float f;
};

// The compiler does not vectorise std::max, which takes references, nor a branch that loads or computes on one side alone. Where one is a
// NaN it is b that comes back.
INLINE float larger(float a, float b) { return a > b ? a : b; }

// exp within 2 units in the last place, 0 below -87: 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2] (Cody and Waite's reduction).
INLINE float fast_exp(float x) {
  float c = x < -87.3f ? -87.3f : x;
  c = c > 88.3f ? 88.3f : c;
  float n = __builtin_floorf(c * 1.44269504f + .5f);
  float r = c - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1;
  Bits two;
  two.u = uint32_t(int32_t(n) + 127) << 23;
  float e = p * two.f;
  return x < -87.3f ? 0.f : e;
}

} // namespace vectors
