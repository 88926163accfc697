// Matrix products for lstm.h with AVX-512. oneDNN and MKL are slower for the shapes of an LSTM,
// because each time step multiplies few rows by the same weights. Here the weights are reordered
// only once, into "panels", and the operation after a product runs on each tile while the tile is
// in the cache.
//
// A word is 32 bits: one float, or two bfloat16 numbers that are neighbours along the summed
// dimension. One instruction multiplies the pairs of two words and adds both products to a float
// sum. A panel is [words][16 or 32 columns], padded with zeros. The left factor of a product
// consists of rows of words. The order of sums does not depend on the number of threads.
#pragma once
#include <immintrin.h>

#include <algorithm>
#include <cstdint>

namespace panels {

using word = uint32_t;
using bf16 = uint16_t;

// Code for floats and code for bfloat16 have the same target, although code for floats uses no
// bfloat16 instructions.
#define V512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma")))
#define V512_INLINE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma"), always_inline)) inline

// The element type of a left factor, and the number of elements in a word.
template <bool BF> struct kind;
template <> struct kind<false> {
  using element = float;
  static constexpr int64_t per = 1;
};
template <> struct kind<true> {
  using element = bf16;
  static constexpr int64_t per = 2;
};

V512_INLINE __mmask16 upto(int64_t n) { return n >= 16 ? 0xffff : n <= 0 ? 0 : (1u << n) - 1; }

V512_INLINE __m512i words(__m256i even, __m256i odd) {
  return _mm512_or_si512(_mm512_cvtepu16_epi32(even), _mm512_slli_epi32(_mm512_cvtepu16_epi32(odd), 16));
}

V512_INLINE __m256i row16(const float *p, int64_t n) {
  return (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(upto(n), p));
}
V512_INLINE __m256i row16(const bf16 *p, int64_t n) { return _mm256_maskz_loadu_epi16(upto(n), p); }

// Returns word k of 16 neighbouring columns of src, of which n exist. src has the given number of
// rows. A word beyond the rows is zero.
template <bool BF, class S> V512_INLINE __m512i across(const S *src, int64_t ld, int64_t rows, int64_t k, int64_t n) {
  if constexpr (!BF) {
    return k < rows ? _mm512_maskz_loadu_epi32(upto(n), src + k * ld) : _mm512_setzero_si512();
  } else {
    __m256i none = _mm256_setzero_si256();
    int64_t a = 2 * k, b = a + 1;
    return words(a < rows ? row16(src + a * ld, n) : none, b < rows ? row16(src + b * ld, n) : none);
  }
}

// Returns 16 words, beginning with word k, of a row of n floats.
template <bool BF> V512_INLINE __m512i along(const float *row, int64_t n, int64_t k) {
  if constexpr (!BF) return (__m512i)_mm512_maskz_loadu_ps(upto(n - k), row + k);
  k *= 2;
  __m512 low = _mm512_maskz_loadu_ps(upto(n - k), row + k),
         high = _mm512_maskz_loadu_ps(upto(n - k - 16), row + k + 16);
  return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

V512_INLINE void transpose(__m512i r[16]) {
  __m512i t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 8; i++) {
    t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) {
      r[4 * i + 2 * j] = _mm512_unpacklo_epi64(t[4 * i + j], t[4 * i + j + 2]);
      r[4 * i + 2 * j + 1] = _mm512_unpackhi_epi64(t[4 * i + j], t[4 * i + j + 2]);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      t[8 * i + j] = _mm512_shuffle_i32x4(r[8 * i + j], r[8 * i + j + 4], 0x88);
      t[8 * i + j + 4] = _mm512_shuffle_i32x4(r[8 * i + j], r[8 * i + j + 4], 0xdd);
    }
#pragma GCC unroll 16
  for (int j = 0; j < 8; j++) {
    r[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
    r[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
  }
}

// Writes a row of n floats as words, for a left factor. It pads the row to a multiple of 16 words.
template <bool BF> V512 void row_of(const float *src, int64_t n, int64_t words, word *out) {
  for (int64_t k = 0; k < words; k += 16) _mm512_storeu_si512(out + k, along<BF>(src, n, k));
}

// Writes n columns of src as a panel. Products with it sum over the rows of src.
template <bool BF, class S>
V512 void from_rows(const S *src, int64_t ld, int64_t rows, int64_t words, int64_t n, int nv, word *out) {
  for (int64_t k = 0; k < words; k++)
    for (int v = 0; v < nv; v++, out += 16) _mm512_storeu_si512(out, across<BF>(src + 16 * v, ld, rows, k, n - 16 * v));
}

// Writes a panel whose columns are the n rows of src. Products with it sum over the len floats of
// these rows.
template <bool BF>
V512 void from_columns(const float *src, int64_t ld, int64_t n, int64_t len, int64_t words, int nv, word *out) {
  for (int v = 0; v < nv; v++)
    for (int64_t k = 0; k < words; k += 16) {
      __m512i r[16];
      for (int i = 0; i < 16; i++)
        r[i] = 16 * v + i < n ? along<BF>(src + (16 * v + i) * ld, len, k) : _mm512_setzero_si512();
      transpose(r);
      for (int64_t i = 0; i < std::min<int64_t>(16, words - k); i++)
        _mm512_storeu_si512(out + ((k + i) * nv + v) * 16, r[i]);
    }
}

// Writes the transpose of m columns of src as rows of words, for a left factor. It pads the rows to
// a multiple of 16 words.
template <bool BF, class S>
V512 void transposed(const S *src, int64_t ld, int64_t rows, int64_t words, int64_t m, word *out, int64_t ldo) {
  for (int64_t k = 0; k < words; k += 16)
    for (int64_t j = 0; j < m; j += 16) {
      __m512i r[16];
      for (int i = 0; i < 16; i++) r[i] = across<BF>(src + j, ld, rows, k + i, m - j);
      transpose(r);
      for (int i = 0; i < 16; i++) _mm512_storeu_si512(out + (j + i) * ldo + k, r[i]);
    }
}

// Adds the sum of row j to sum[j], for m rows.
template <bool BF> V512 void add_rows(const word *rows, int64_t ld, int64_t words, int64_t m, float *sum) {
  for (int64_t j = 0; j < m; j++) {
    __m512 total = _mm512_setzero_ps();
    for (int64_t k = 0; k < words; k += 16) {
      __m512i x = _mm512_maskz_loadu_epi32(upto(words - k), rows + j * ld + k);
      if constexpr (BF) {
        total += (__m512)_mm512_slli_epi32(x, 16);
        total += (__m512)_mm512_and_si512(x, _mm512_set1_epi32(int(0xffff0000u)));
      } else {
        total += (__m512)x;
      }
    }
    sum[j] += _mm512_reduce_add_ps(total);
  }
}

// A term of a sum of products: rows of words times a panel.
struct Term {
  const void *rows;
  int64_t ld; // words from one row to the next
  const word *panel;
  int64_t words;
};

// Computes a tile that fits into registers: MR rows of 16 * NV columns.
template <bool BF, int MR, int NV>
V512 void micro(const Term *terms, int count, int64_t row, const float *bias, float *c, int64_t ldc, bool add,
                __mmask16 last) {
  __m512 acc[MR][NV];
#pragma GCC unroll 16
  for (int r = 0; r < MR; r++)
#pragma GCC unroll 2
    for (int v = 0; v < NV; v++) acc[r][v] = bias ? _mm512_loadu_ps(bias + 16 * v) : _mm512_setzero_ps();
  for (int t = 0; t < count; t++) {
    const int64_t ld = terms[t].ld;
    const float *a = static_cast<const float *>(terms[t].rows) + row * ld;
    const float *p = reinterpret_cast<const float *>(terms[t].panel);
    for (int64_t k = terms[t].words; k > 0; k--, a++, p += 16 * NV) {
      __m512 b[NV];
#pragma GCC unroll 2
      for (int v = 0; v < NV; v++) b[v] = _mm512_loadu_ps(p + 16 * v);
#pragma GCC unroll 16
      for (int r = 0; r < MR; r++) {
        __m512 x = _mm512_set1_ps(a[r * ld]);
#pragma GCC unroll 2
        for (int v = 0; v < NV; v++)
          if constexpr (BF)
            acc[r][v] = _mm512_dpbf16_ps(acc[r][v], (__m512bh)x, (__m512bh)b[v]);
          else
            acc[r][v] = _mm512_fmadd_ps(x, b[v], acc[r][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < MR; r++)
#pragma GCC unroll 2
    for (int v = 0; v < NV; v++) {
      __mmask16 m = v == NV - 1 ? last : 0xffff;
      float *at = c + (row + r) * ldc + 16 * v;
      _mm512_mask_storeu_ps(at, m, add ? _mm512_add_ps(acc[r][v], _mm512_maskz_loadu_ps(m, at)) : acc[r][v]);
    }
}

constexpr int kRows = 12; // rows of a tile in registers: 24 for sums, 2 for a panel's row, 1 for a broadcast word

using Micro = void (*)(const Term *, int, int64_t, const float *, float *, int64_t, bool, __mmask16);

template <bool BF, int NV> Micro micro_of(int64_t rows) {
  static const Micro all[kRows] = {micro<BF, 1, NV>, micro<BF, 2, NV>,  micro<BF, 3, NV>,  micro<BF, 4, NV>,
                                   micro<BF, 5, NV>, micro<BF, 6, NV>,  micro<BF, 7, NV>,  micro<BF, 8, NV>,
                                   micro<BF, 9, NV>, micro<BF, 10, NV>, micro<BF, 11, NV>, micro<BF, 12, NV>};
  return all[rows - 1];
}

// Sets c [m, n] to bias plus the sum of the terms. If add is set, this sum is added to c instead. n
// is at most 16 * nv. bias is null or has 16 * nv numbers.
template <bool BF>
void product(const Term *terms, int count, int64_t m, int64_t n, int nv, const float *bias, float *c, int64_t ldc,
             bool add) {
  int64_t rest = n - 16 * (nv - 1);
  __mmask16 last = rest >= 16 ? 0xffff : (1u << rest) - 1;
  // Divide the rows evenly, because a tile with few rows is slow.
  for (int64_t row = 0, left = (m + kRows - 1) / kRows; left > 0; left--) {
    int64_t some = (m - row + left - 1) / left;
    Micro f = nv == 2 ? micro_of<BF, 2>(some) : micro_of<BF, 1>(some);
    f(terms, count, row, bias, c, ldc, add, last);
    row += some;
  }
}

} // namespace panels
