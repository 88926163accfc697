// The LSTM cell (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000) for
// a batch. The pre-activations of the gates are the sum of two vectors: one depends on the word,
// and one on the previous state. Each vector is computed once, even if several rows of the batch
// use it.
// Gradients are not recorded. Gates are read once, while libtorch's operations take about ten
// passes.
#pragma once
#include "kernels.h"
#include "op.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math") // see BY_CPU
#endif

namespace kernels::lstmcell {

// A row of the batch. The pre-activations of its gates i, f, g, o, each [H], are word + state.
// before is the previous cell. At the first word, state and before are null.
struct Row {
  const float *word, *state, *before;
  float *hidden, *cell;
};

INLINE float sigmoid(float x) { return 1.f / (1.f + fast_exp(-x)); }

// tanh(x) = e / (e + 2) with e = exp(2x) - 1 = 2^n (1 + p) - 1. This formula stays accurate near 0.
// p is exp(r) - 1 for the remainder |r| <= ln(2) / 2, as in cell.h.
INLINE float tanh(float x) {
  float y = 2 * x;
  y = y < -40.f ? -40.f : y;
  y = y > 40.f ? 40.f : y;
  float n = __builtin_floorf(y * 1.44269504f + .5f), r = y - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.f / 5040;
  p = p * r + 1.f / 720;
  p = p * r + 1.f / 120;
  p = p * r + 1.f / 24;
  p = p * r + 1.f / 6;
  p = p * r + .5f;
  p = p * r * r + r;
  vectors::Bits two;
  two.u = uint32_t(int32_t(n) + 127) << 23;
  float e = two.f * p + (two.f - 1);
  return e / (e + 2);
}

INLINE void first_(const Row &r, int64_t n) {
  const float *__restrict word = r.word;
  float *__restrict hidden = r.hidden, *__restrict cell = r.cell;
#pragma omp simd
  for (int64_t j = 0; j < n; j++) {
    float c = sigmoid(word[j]) * tanh(word[2 * n + j]);
    cell[j] = c;
    hidden[j] = sigmoid(word[3 * n + j]) * tanh(c);
  }
}

INLINE void next_(const Row &r, int64_t n) {
  const float *__restrict word = r.word, *__restrict state = r.state, *__restrict before = r.before;
  float *__restrict hidden = r.hidden, *__restrict cell = r.cell;
#pragma omp simd
  for (int64_t j = 0; j < n; j++) {
    float c = sigmoid(word[n + j] + state[n + j]) * before[j] +
              sigmoid(word[j] + state[j]) * tanh(word[2 * n + j] + state[2 * n + j]);
    cell[j] = c;
    hidden[j] = sigmoid(word[3 * n + j] + state[3 * n + j]) * tanh(c);
  }
}

void first(const Row &r, int64_t n) { BY_CPU(first_(r, n)) }
void next(const Row &r, int64_t n) { BY_CPU(next_(r, n)) }

} // namespace kernels::lstmcell

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels::lstmcell {

// The inputs of all rows. At the first word, products, cells and parents are undefined.
struct Inputs {
  Tensor table, words, products, cells, parents; // [V, 4H], [n], [m, 4H], [>= m, H], [n]
};

void by_rows(const Inputs &in, Tensor &hidden, Tensor &cell) {
  int64_t h = in.table.size(1) / 4, n = in.words.numel();
  check_ids(in.words, in.table.size(0));
  bool started = in.products.defined();
  if (started) check_ids(in.parents, in.products.size(0));
  hidden = at::empty({n, h}, in.table.options()), cell = at::empty_like(hidden);
  const float *table = in.table.data_ptr<float>();
  const float *product = started ? in.products.data_ptr<float>() : nullptr;
  const float *before = started ? in.cells.data_ptr<float>() : nullptr;
  float *to = hidden.data_ptr<float>(), *state = cell.data_ptr<float>();
  const int64_t *word = in.words.data_ptr<int64_t>(), *parent = started ? in.parents.data_ptr<int64_t>() : nullptr;
  threads::parallel_for(0, n, 16, [&](int64_t a, int64_t b) {
    for (int64_t i = a; i < b; i++) {
      Row r{table + 4 * h * word[i], nullptr, nullptr, to + h * i, state + h * i};
      if (!started) {
        first(r, h);
        continue;
      }
      r.state = product + 4 * h * parent[i], r.before = before + h * parent[i];
      next(r, h);
    }
  });
}

void by_libtorch(const Inputs &in, Tensor &hidden, Tensor &cell) {
  Tensor sum = in.table.index_select(0, in.words);
  if (in.products.defined()) sum = sum + in.products.index_select(0, in.parents);
  auto gate = sum.chunk(4, 1);
  cell = gate[0].sigmoid() * gate[2].tanh();
  if (in.products.defined()) cell = cell + gate[1].sigmoid() * in.cells.index_select(0, in.parents);
  hidden = gate[3].sigmoid() * cell.tanh();
}

extern "C" char *kernels_lstm_cell(handle *hidden, handle *cell, handle table, handle words, handle products,
                                   handle cells, handle parents) {
  return guard([&] {
    Inputs in{at_(table).contiguous(), at_(words), {}, {}, {}};
    TORCH_CHECK(in.table.dim() == 2 && in.table.size(1) % 4 == 0, "the table is ", in.table.sizes(), ", not [V, 4H]");
    if (products) {
      in.products = at_(products).contiguous(), in.cells = at_(cells).contiguous(), in.parents = at_(parents);
      TORCH_CHECK(in.products.size(1) == in.table.size(1) && in.cells.size(1) * 4 == in.table.size(1) &&
                      in.cells.size(0) >= in.products.size(0) && in.parents.numel() == in.words.numel(),
                  "products are ", in.products.sizes(), ", cells ", in.cells.sizes(), ", parents ", in.parents.sizes());
    }
    Tensor h, c;
    bool floats = in.table.is_cpu() && in.table.scalar_type() == at::kFloat;
    (floats ? by_rows : by_libtorch)(in, h, c);
    *hidden = new Tensor(h), *cell = new Tensor(c);
  });
}

} // namespace kernels::lstmcell
