// What a search needs from logits: the k likeliest words, and the log p of one given word. The
// logits of all rows are never in memory at once. Unlike with at::log_softmax, at::topk and
// at::gather, each row is read only once or twice, while it is in the cache.
#pragma once
#include "packed.h"

#include <cmath>
#include <cstring>
#include <limits>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "no-signed-zeros", "associative-math") // see BY_CPU
#endif

namespace kernels::likeliest {

constexpr int64_t kLanes = 32;

INLINE float max_of_(const float *x, int64_t n) {
  float lanes[kLanes], top = -std::numeric_limits<float>::infinity();
  for (int64_t l = 0; l < kLanes; l++) lanes[l] = top;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t l = 0; l < kLanes; l++) lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
  for (int64_t l = 0; l < kLanes; l++) top = lanes[l] > top ? lanes[l] : top;
  for (; i < n; i++) top = x[i] > top ? x[i] : top;
  return top;
}

INLINE double sum_exp_(const float *x, int64_t n, float top) {
  double total = 0;
  for (int64_t i = 0; i < n; i += 1024) { // sums of 1,024 numbers in float are added in double
    float sum = 0;
    int64_t stop = std::min(n, i + 1024);
    for (int64_t j = i; j < stop; j++) sum += fast_exp(x[j] - top);
    total += sum;
  }
  return total;
}

INLINE void widen_(const uint16_t *x, int64_t n, float *to) {
  for (int64_t i = 0; i < n; i++) {
    uint32_t bits = static_cast<uint32_t>(x[i]) << 16;
    std::memcpy(to + i, &bits, sizeof bits);
  }
}

// widen converts bfloat16 numbers to float.
void widen(const uint16_t *x, int64_t n, float *to) { BY_CPU(widen_(x, n, to)) }
float max_of(const float *x, int64_t n) { BY_CPU(max_of_(x, n)) }
double sum_exp(const float *x, int64_t n, float top) { BY_CPU(sum_exp_(x, n, top)) }

} // namespace kernels::likeliest

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels::likeliest {

constexpr int64_t kRows = 256; // number of rows whose logits are computed at once; the logits stay in the cache

// Finds the k largest of x[first], ..., x[n-1], in descending order. If numbers are equal, the
// earlier one comes first.
void largest(const float *x, int64_t first, int64_t n, int64_t k, float *value, int64_t *index) {
  int64_t have = 0;
  auto insert = [&](int64_t i) {
    int64_t at = have < k ? have++ : k - 1;
    for (; at > 0 && x[i] > value[at - 1]; at--) {
      value[at] = value[at - 1];
      index[at] = index[at - 1];
    }
    value[at] = x[i];
    index[at] = i;
  };
  int64_t i = first;
  for (; i < first + k; i++) insert(i);
  for (; i < n; i += 4 * kLanes) { // skip blocks without a larger number; most blocks have none
    int64_t stop = std::min(n, i + 4 * kLanes);
    if (!(max_of(x + i, stop - i) > value[k - 1])) continue;
    for (int64_t j = i; j < stop; j++)
      if (x[j] > value[k - 1]) insert(j);
  }
}

// Writes the results for the n logits x of one position to the array row. If open is set, these are
// the k largest values and their indices, and then the value at index want. Otherwise only this
// last value is written, at the same place.
void read_row(const float *x, int64_t n, int64_t first, int64_t k, int64_t want, bool open, bool normalise,
              float *row) {
  float off = 0;
  if (normalise) {
    float top = max_of(x, n);
    off = top + static_cast<float>(std::log(sum_exp(x, n, top)));
  }
  if (open) {
    std::vector<int64_t> index(k);
    largest(x, first, n, k, row, index.data());
    for (int64_t i = 0; i < k; i++) {
      row[i] -= off;
      row[k + i] = static_cast<float>(index[i]);
    }
  }
  row[2 * k] = x[want] - off;
}

// kernels_likeliest sets *out to results [n, 2k+1] for the logits of x [n, d]. Rows 0 to open-1
// have the k largest values among the words from index first on, and then the indices of these
// words. Row i ends with the value of the word want[i]. If normalise is set, values are log p.
extern "C" char *kernels_likeliest(handle *out, handle x, handle w, handle bias, int packed, const int64_t *want,
                                   int64_t n, int64_t open, int64_t first, int64_t k, int normalise) {
  return guard([&] {
    const Tensor &states = at_(x);
    TORCH_CHECK(states.size(0) == n && k > 0 && (open <= 0 || first + k <= at_(bias).size(0)),
                "fewer words than are asked for");
    for (int64_t i = 0; i < n; i++) TORCH_CHECK(want[i] >= 0 && want[i] < at_(bias).size(0), "no word ", want[i]);
    std::vector<Tensor> parts;
    for (int64_t from = 0; from < n; from += kRows) {
      int64_t rows = std::min(kRows, n - from);
      Tensor logits =
          packed::raw_product(states.narrow(0, from, rows), at_(w), maybe(bias), packed != 0, false).contiguous();
      int64_t words = logits.size(1), free = std::min(rows, std::max<int64_t>(0, open - from));
      bool narrow = logits.scalar_type() == at::kBFloat16;
      if (!logits.is_cpu() || !(narrow || logits.scalar_type() == at::kFloat)) {
        logits = logits.to(at::kFloat);
        if (normalise) logits = logits.log_softmax(1);
        auto [top, index] = logits.narrow(1, first, words - first).topk(k);
        Tensor at = at::tensor(at::ArrayRef<int64_t>(want + from, rows)).to(logits.device());
        parts.push_back(at::cat({top, (index + first).to(at::kFloat), logits.gather(1, at.unsqueeze(1))}, 1));
        continue;
      }
      Tensor part = at::zeros({rows, 2 * k + 1}, logits.options().dtype(at::kFloat));
      float *to = part.data_ptr<float>();
      threads::parallel_for(0, rows, 4, [&](int64_t a, int64_t b) {
        std::vector<float> wide(narrow ? words : 0);
        for (int64_t i = a; i < b; i++) {
          const float *in = wide.data();
          if (narrow)
            widen(static_cast<const uint16_t *>(logits.data_ptr()) + i * words, words, wide.data());
          else
            in = logits.data_ptr<float>() + i * words;
          read_row(in, words, first, k, want[from + i], i < free, normalise != 0, to + i * (2 * k + 1));
        }
      });
      parts.push_back(part);
    }
    *out = new Tensor(parts.size() == 1 ? parts[0] : at::cat(parts, 0));
  });
}

} // namespace kernels::likeliest
