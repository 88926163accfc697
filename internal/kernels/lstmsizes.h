// Sizes and buffers of the LSTM (lstm.h), and the panels of its weights. panels.h explains words
// and panels.
#pragma once
#include "cell.h"
#include "op.h"

namespace kernels::lstm {

using panels::word;

constexpr int64_t kUnits = 32;  // units in a tile: two vectors
constexpr int64_t kRowPad = 16; // words of padding, so that the rows of a tile use different cache lines
constexpr int64_t kDeep = 512;  // number of words over which one product of a weight gradient sums

int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
int64_t blocks(int64_t n) { return (n + kUnits - 1) / kUnits; }
int vectors(int64_t n, int64_t block) { return n - block * kUnits > 16 ? 2 : 1; }

// The sizes of a layer: batch B, time steps T, directions D, inputs E and hidden units H. Hidden
// units are divided into blocks as wide as a tile. Each time step and block has a tile
// [B][gate][unit] of gates and a tile [B][unit] of cells, so that a task writes contiguous memory.
// A word holds "per" elements.
template <bool BF> struct Shape {
  static constexpr int64_t per = panels::kind<BF>::per;
  int64_t B, T, D, E, H, Hp; // Hp is H padded to whole vectors
  // "in", "hid" and "gate" are the numbers of words of a row of x, of a row of h, and of a row of
  // the gradients of all gates. "batch" is the number of words that hold the B terms of a time step
  // when a product sums over the batch.
  int64_t in, hid, gate, batch;
  int64_t in_ld, hid_ld; // words from one row to the next
  Shape(int64_t b, int64_t t, int64_t d, int64_t e, int64_t h) : B(b), T(t), D(d), E(e), H(h), Hp(up(h, 16)) {
    in = (E + per - 1) / per, hid = Hp / per, gate = 4 * hid, batch = (B + per - 1) / per;
    in_ld = up(in, 16) + kRowPad, hid_ld = hid + kRowPad;
  }
  // Returns the time of a step. The reverse direction goes from the last time to the first.
  int64_t time(int64_t d, int64_t step) const { return d == 0 ? step : T - 1 - step; }
  int64_t units(int64_t block) const { return std::min(kUnits, Hp - block * kUnits); }
  int64_t live(int64_t block) const { return std::min(kUnits, H - block * kUnits); } // units that are not padding
  // The gradients of gates are stored as [D][T][block][B][dgate_ld(block)] words.
  int64_t dgate_ld(int64_t block) const { return 4 * units(block) / per + kRowPad; }
  int64_t dgates(int64_t d, int64_t t, int64_t block) const {
    return (d * T + t) * B * (gate + blocks(Hp) * kRowPad) + block * B * (4 * kUnits / per + kRowPad);
  }
};

Tensor buffer(int64_t words) { return at::empty({words}, at::kFloat); }
word *data(const Tensor &t) { return reinterpret_cast<word *>(t.data_ptr<float>()); }

template <class F> void each(int64_t n, F f) {
  threads::parallel_for(0, n, 1, [&](int64_t a, int64_t b) {
    for (; a < b; a++) f(a);
  });
}

// Calls f(step, d, block) for all blocks of all directions at every step. Steps are in order,
// because a step of a direction needs all blocks of that direction's previous step. A step needs
// nothing of the other direction. So if there are as many threads as directions, each thread does
// one direction, and no thread waits for another before the end.
template <class F> void recur(int64_t steps, int64_t directions, int64_t blocks, F f) {
  if (directions == at::get_num_threads())
    return each(directions, [&](int64_t d) {
      for (int64_t step = 0; step < steps; step++)
        for (int64_t block = 0; block < blocks; block++) f(step, d, block);
    });
  for (int64_t step = 0; step < steps; step++)
    each(directions * blocks, [&](int64_t task) { f(step, task / blocks, task % blocks); });
}

// Writes time step t of x [B, T, E] as rows of words. sb and st are the strides of B and T.
template <bool BF> void time_major(const Shape<BF> &s, const float *x, int64_t sb, int64_t st, word *out, int64_t t) {
  for (int64_t b = 0; b < s.B; b++, out += s.in_ld) panels::row_of<BF>(x + b * sb + t * st, s.E, s.in, out);
}

// Makes the panels of w_ih and w_hh for the forward pass. There is one panel for each gate and tile
// of units. Its columns are the units.
template <bool BF> void forward_panels(const Shape<BF> &s, const std::vector<Tensor> &w, word *ih, word *hh) {
  int64_t nb = blocks(s.Hp);
  each(s.D * 4 * nb, [&](int64_t task) {
    int64_t d = task / (4 * nb), g = task / nb % 4, u = task % nb * kUnits, n = s.live(task % nb);
    int nv = vectors(s.Hp, task % nb);
    int64_t column = (d * 4 + g) * s.Hp + u; // number of columns in the panels before this one
    panels::from_columns<BF>(w[4 * d].data_ptr<float>() + (g * s.H + u) * s.E, s.E, n, s.E, s.in, nv,
                             ih + column * s.in);
    panels::from_columns<BF>(w[4 * d + 1].data_ptr<float>() + (g * s.H + u) * s.H, s.H, n, s.H, s.hid, nv,
                             hh + column * s.hid);
  });
}

// Makes the panels of a weight [4H, N] for products with the gates' gradients. The rows are in the
// order of these gradients.
template <bool BF> void backward_panels(const Shape<BF> &s, const Tensor &w, int64_t n, word *out) {
  each(blocks(n), [&](int64_t p) {
    int nv = vectors(n, p);
    word *at = out + p * kUnits * s.gate;
    for (int64_t block = 0; block < blocks(s.Hp); block++)
      for (int64_t g = 0; g < 4; g++, at += s.units(block) / s.per * 16 * nv)
        panels::from_rows<BF>(w.data_ptr<float>() + (g * s.H + block * kUnits) * n + p * kUnits, n, s.live(block),
                              s.units(block) / s.per, n - p * kUnits, nv, at);
  });
}

// Appends the terms of a product to out. The product is the gates' gradients at time t times a
// panel, and it has one term per block.
template <bool BF>
void gate_terms(const Shape<BF> &s, const Tensor &dgates, int64_t d, int64_t t, const word *panel, int nv,
                std::vector<panels::Term> &out) {
  for (int64_t block = 0; block < blocks(s.Hp); block++) {
    int64_t words = 4 * s.units(block) / s.per;
    out.push_back({data(dgates) + s.dgates(d, t, block), s.dgate_ld(block), panel, words});
    panel += words * 16 * nv;
  }
}

struct Saved {
  Tensor x, hidden, gates, cells;
};

} // namespace kernels::lstm
