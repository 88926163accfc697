// The LSTM cell for lstm.h (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al.
// 2000), for sixteen units at a time. i, f and o are the sigmoids of their pre-activations, and g
// is the tanh of its pre-activation. c = f c' + i g, where c' is the previous cell state, and h = o
// tanh(c).
#pragma once
#include "panels.h"

namespace cell {

using namespace panels;

// Splits exp(x) into power * (1 + part), where power = 2^n and part = exp(r) - 1 for the remainder
// |r| <= ln(2) / 2. The error of the Taylor series to degree 7 is less than a rounding error.
V512_INLINE __m512 split(__m512 x, __m512 &power) {
  __m512 n = _mm512_roundscale_ps(x * 1.44269504088896341f, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  // ln(2) is subtracted in two parts. The first part has few bits, so that its product with n is
  // exact.
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
  __m512 q = _mm512_set1_ps(1.f / 5040);
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(1.f / 720));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(1.f / 120));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(1.f / 24));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(1.f / 6));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(.5f));
  power = _mm512_scalef_ps(_mm512_set1_ps(1), n);
  return _mm512_fmadd_ps(q * r, r, r);
}

// clamp limits x to [-bound, bound]. A NaN stays a NaN, because min and max then return their
// second argument.
V512_INLINE __m512 clamp(__m512 x, float bound) {
  return _mm512_max_ps(_mm512_set1_ps(-bound), _mm512_min_ps(_mm512_set1_ps(bound), x));
}

V512_INLINE __m512 sigmoid(__m512 x) {
  __m512 power, part = split(clamp(_mm512_setzero_ps() - x, 87), power);
  return 1.f / (1.f + _mm512_fmadd_ps(power, part, power));
}

// tanh(x) = e / (e + 2) with e = exp(2x) - 1. This formula stays accurate near 0.
V512_INLINE __m512 tanh(__m512 x) {
  __m512 power, part = split(clamp(x + x, 40), power);
  __m512 e = _mm512_fmadd_ps(power, part, power - 1.f);
  return e / (e + 2.f);
}

V512_INLINE void store(float *p, __m512 x) { _mm512_storeu_ps(p, x); }
V512_INLINE void store(bf16 *p, __m512 x) { _mm256_storeu_si256((__m256i *)p, (__m256i)_mm512_cvtneps_pbh(x)); }

// The data of one step for a tile, which is the rows of a batch times a block of 16 or 32 units.
// The first "live" units are real, and the others are padding. A row of gates has i, f, g and o of
// these units. A pointer is null if its data do not exist.
template <class E> struct Step {
  int64_t units, live;
  float *gates;        // pre-activations before the call, activations after it
  const float *before; // cell states before the step
  float *cell;         // cell states after the step
  E *hidden;           // hidden states for the next products
  int64_t hidden_ld;
  float *states, *last; // hidden states for the caller
  int64_t states_ld, last_ld;
};

template <class E> V512 void forward(const Step<E> &s, int64_t rows) {
  for (int64_t b = 0; b < rows; b++)
    for (int64_t j = 0; j < s.units; j += 16) {
      float *at = s.gates + b * 4 * s.units + j;
      __m512 i = sigmoid(_mm512_loadu_ps(at)), f = sigmoid(_mm512_loadu_ps(at + s.units));
      __m512 g = tanh(_mm512_loadu_ps(at + 2 * s.units)), o = sigmoid(_mm512_loadu_ps(at + 3 * s.units));
      __m512 c = i * g;
      if (s.before) c = _mm512_fmadd_ps(f, _mm512_loadu_ps(s.before + b * s.units + j), c);
      __m512 h = o * tanh(c);
      store(at, i), store(at + s.units, f), store(at + 2 * s.units, g), store(at + 3 * s.units, o);
      store(s.cell + b * s.units + j, c);
      store(s.hidden + b * s.hidden_ld + j, h);
      __mmask16 m = upto(s.live - j);
      if (s.states) _mm512_mask_storeu_ps(s.states + b * s.states_ld + j, m, h);
      if (s.last) _mm512_mask_storeu_ps(s.last + b * s.last_ld + j, m, h);
    }
}

template <class E> struct Back {
  int64_t units, live;
  const float *gates, *before, *cell; // results of the forward step
  const float *dhidden;               // gradients from the next time step, [rows, units]
  const float *dstates, *dlast;       // gradients from the caller
  int64_t dstates_ld, dlast_ld;
  float *dcell; // gradients from the next time step; the call replaces them by gradients for the previous step
  E *dgates;    // gradients of pre-activations
  int64_t dgate_ld;
};

template <class E> V512 void backward(const Back<E> &s, int64_t rows) {
  const __m512 zero = _mm512_setzero_ps();
  for (int64_t b = 0; b < rows; b++)
    for (int64_t j = 0; j < s.units; j += 16) {
      const float *at = s.gates + b * 4 * s.units + j;
      int64_t unit = b * s.units + j;
      __m512 i = _mm512_loadu_ps(at), f = _mm512_loadu_ps(at + s.units);
      __m512 g = _mm512_loadu_ps(at + 2 * s.units), o = _mm512_loadu_ps(at + 3 * s.units);
      __mmask16 m = upto(s.live - j);
      __m512 dh = s.dhidden ? _mm512_loadu_ps(s.dhidden + unit) : zero;
      if (s.dstates) dh += _mm512_maskz_loadu_ps(m, s.dstates + b * s.dstates_ld + j);
      if (s.dlast) dh += _mm512_maskz_loadu_ps(m, s.dlast + b * s.dlast_ld + j);
      __m512 t = tanh(_mm512_loadu_ps(s.cell + unit));
      __m512 dc = dh * o * (1.f - t * t);
      if (s.dhidden) dc += _mm512_loadu_ps(s.dcell + unit);
      __m512 before = s.before ? _mm512_loadu_ps(s.before + unit) : zero;
      store(s.dcell + unit, dc * f);
      E *out = s.dgates + b * s.dgate_ld + j;
      store(out, dc * g * i * (1.f - i));
      store(out + s.units, dc * before * f * (1.f - f));
      store(out + 2 * s.units, dc * i * (1.f - g * g));
      store(out + 3 * s.units, dh * t * o * (1.f - o));
    }
}

} // namespace cell
