// Helpers that let the compiler vectorise loops over plain memory for the instructions of the CPU.
#pragma once
#include <cstdint>

#include "isa.h"

// BY_CPU(f(...)) returns the result of f, compiled for the instructions that isa.h allows. f must
// be INLINE. GCC's target_clones would consider only the CPU and ignore the libraries' variables.
// If the loops of a file round numbers or take roots, the file sets "no-math-errno" and
// "no-trapping-math" by pragma around f and BY_CPU. Without these flags, the compiler would process
// one number at a time, to keep errno and exceptions in order. A pragma sets them, because cgo does
// not allow these flags for all files.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BY_CPU(...)                                                                                                    \
  switch (isa::level()) {                                                                                              \
  case isa::avx512:                                                                                                    \
    return [&]() __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))) { return __VA_ARGS__; }();          \
  case isa::avx2: return [&]() __attribute__((target("avx2,fma"))) { return __VA_ARGS__; }();                          \
  default: return __VA_ARGS__;                                                                                         \
  }
#else
#define BY_CPU(...) return __VA_ARGS__
#endif
#define INLINE inline __attribute__((always_inline))

namespace vectors {

// A float and its bits. A union is used because memcpy would take the address of a variable, and
// the compiler would then not vectorise loops that use it.
union Bits {
  uint32_t u;
  float f;
};

using bf16 = uint16_t; // the upper half of a float

INLINE float load(float x) { return x; }
INLINE float load(bf16 x) {
  Bits b;
  b.u = uint32_t(x) << 16;
  return b.f;
}
INLINE void store(float &to, float x) { to = x; }
INLINE void store(bf16 &to, float x) { // rounds to nearest, ties to even; a NaN stays a NaN
  Bits b;
  b.f = x;
  uint32_t u = b.u, rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16, nan = (u >> 16) | 0x40;
  to = bf16((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

// larger returns the larger number, or b if either is a NaN. It exists because the compiler does
// not vectorise std::max, which takes references, or an if statement that loads or computes
// something in one branch only.
INLINE float larger(float a, float b) { return a > b ? a : b; }

// Returns exp(x) with an error of at most 2 units in the last place, and 0 for x below -87.3. The
// result is 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2] (Cody and Waite's reduction).
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
