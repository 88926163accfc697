// The backward pass of the LSTM (lstm.h).
#pragma once
#include "lstmsizes.h"

namespace kernels::lstm {

// Returns the gradients of the gates' pre-activations, in the layout of Shape::dgates.
template <bool BF>
Tensor gate_gradients(const Shape<BF> &s, const Saved &v, const std::vector<Tensor> &w, const Tensor &dstates,
                      const Tensor &dlast) {
  using E = typename panels::kind<BF>::element;
  int64_t nb = blocks(s.Hp);
  Tensor hh = buffer(s.D * s.gate * s.Hp), dgates = buffer(s.dgates(s.D, 0, 0)), dcell = buffer(s.D * s.B * s.Hp);
  for (int64_t d = 0; d < s.D; d++) backward_panels<BF>(s, w[4 * d + 1], s.H, data(hh) + d * s.gate * s.Hp);
  recur(s.T, s.D, nb, [&](int64_t back, int64_t d, int64_t block) {
    int64_t step = s.T - 1 - back, u = block * kUnits, t = s.time(d, step);
    int nv = vectors(s.Hp, block);
    auto tile = [&](int64_t time) { return (d * s.T + time) * s.B * s.Hp + s.B * u; };
    static thread_local std::vector<float> dhidden;
    cell::Back<E> c{};
    if (step < s.T - 1) {
      std::vector<panels::Term> terms;
      gate_terms(s, dgates, d, s.time(d, step + 1), data(hh) + d * s.gate * s.Hp + u * s.gate, nv, terms);
      dhidden.resize(s.B * kUnits);
      panels::product<BF>(terms.data(), terms.size(), s.B, 16 * nv, nv, nullptr, dhidden.data(), 16 * nv, false);
      c.dhidden = dhidden.data();
    } else if (dlast.defined()) {
      c.dlast = dlast.data_ptr<float>() + d * s.B * s.H + u, c.dlast_ld = s.H;
    }
    if (dstates.defined())
      c.dstates = dstates.data_ptr<float>() + t * s.D * s.H + d * s.H + u, c.dstates_ld = s.T * s.D * s.H;
    c.gates = v.gates.data_ptr<float>() + 4 * tile(t), c.units = 16 * nv, c.live = s.live(block);
    c.cell = v.cells.data_ptr<float>() + tile(t);
    if (step > 0) c.before = v.cells.data_ptr<float>() + tile(s.time(d, step - 1));
    c.dcell = dcell.data_ptr<float>() + d * s.B * s.Hp + s.B * u;
    c.dgates = reinterpret_cast<E *>(data(dgates) + s.dgates(d, t, block)), c.dgate_ld = s.dgate_ld(block) * s.per;
    cell::backward(c, s.B);
  });
  return dgates;
}

// Returns d x [B, T, E], the gradient of the input. It is the sum over directions of d gates times
// w_ih, where d gates are the gradients of the gates.
template <bool BF> Tensor input_gradient(const Shape<BF> &s, const Tensor &dgates, const std::vector<Tensor> &w) {
  int64_t nb = blocks(s.E), wide = up(s.E, 16);
  Tensor ih = buffer(s.D * s.gate * wide), dx = at::empty({s.B, s.T, s.E}, at::kFloat);
  for (int64_t d = 0; d < s.D; d++) backward_panels<BF>(s, w[4 * d], s.E, data(ih) + d * s.gate * wide);
  each(s.T * nb, [&](int64_t task) {
    int64_t t = task / nb, p = task % nb;
    int nv = vectors(s.E, p);
    std::vector<panels::Term> terms;
    for (int64_t d = 0; d < s.D; d++)
      gate_terms(s, dgates, d, t, data(ih) + d * s.gate * wide + p * kUnits * s.gate, nv, terms);
    panels::product<BF>(terms.data(), terms.size(), s.B, std::min(kUnits, s.E - p * kUnits), nv, nullptr,
                        dx.data_ptr<float>() + t * s.E + p * kUnits, s.T * s.E, false);
  });
  return dx;
}

// Makes panels of the activations [T][B][ld words]. Their columns are features. Products sum over
// the rows, one time step after the other.
template <bool BF> void activation_panels(const Shape<BF> &s, const word *rows, int64_t ld, int64_t n, word *out) {
  using E = typename panels::kind<BF>::element;
  each(blocks(n), [&](int64_t p) {
    int nv = vectors(n, p);
    for (int64_t t = 0; t < s.T; t++)
      panels::from_rows<BF>(reinterpret_cast<const E *>(rows + t * s.B * ld) + p * kUnits, ld * s.per, s.B, s.batch,
                            n - p * kUnits, nv, out + (p * kUnits * s.T + t * 16 * nv) * s.batch);
  });
}

// Computes the gradients of w_ih, w_hh and the biases for every direction. They are the transpose
// of d gates times x, the transpose of d gates times the previous states, and the sum of d gates.
template <bool BF>
void weight_gradients(const Shape<BF> &s, const Saved &v, const Tensor &dgates, std::vector<Tensor> &out) {
  using E = typename panels::kind<BF>::element;
  int64_t deep = s.T * s.batch, wide = up(s.E, 16), nb = blocks(s.Hp);
  Tensor xs = buffer(deep * wide), hs = buffer(s.D * deep * s.Hp);
  activation_panels<BF>(s, data(v.x), s.in_ld, s.E, data(xs));
  for (int64_t d = 0; d < s.D; d++) {
    activation_panels<BF>(s, data(v.hidden) + d * s.T * s.B * s.hid_ld, s.hid_ld, s.H, data(hs) + d * deep * s.Hp);
    out[4 * d] = at::empty({4 * s.H, s.E}, at::kFloat);
    out[4 * d + 1] = s.T > 1 ? at::empty({4 * s.H, s.H}, at::kFloat) : at::zeros({4 * s.H, s.H}, at::kFloat);
    out[4 * d + 2] = at::zeros({4 * s.H}, at::kFloat);
  }
  each(s.D * nb, [&](int64_t task) {
    int64_t d = task / nb, block = task % nb, units = s.units(block), live = s.live(block);
    int64_t row = block * kUnits, ld = kDeep + kRowPad;
    static thread_local std::vector<word> left; // gradients of the block: a row of kDeep words per gate and unit
    left.resize(4 * kUnits * ld);
    for (int64_t k = 0; k < deep; k += kDeep) {
      int64_t end = std::min(k + kDeep, deep);
      for (int64_t t = k / s.batch; t * s.batch < end; t++) {
        int64_t from = std::max<int64_t>(0, k - t * s.batch), to = std::min(s.batch, end - t * s.batch);
        const E *src =
            reinterpret_cast<const E *>(data(dgates) + s.dgates(d, t, block) + from * s.per * s.dgate_ld(block));
        panels::transposed<BF>(src, s.dgate_ld(block) * s.per, s.B - from * s.per, to - from, 4 * units,
                               left.data() + t * s.batch + from - k, ld);
      }
      // The function "times" multiplies row k of d gates by row k + shift of a panel, if that row
      // exists.
      auto times = [&](const word *panel, int64_t n, Tensor &dw, int64_t shift) {
        int64_t first = std::max<int64_t>(0, -shift), from = std::max(k, first),
                to = std::min(end, deep - std::max<int64_t>(0, shift));
        for (int64_t p = 0; p < blocks(n) && from < to; p++) {
          int nv = vectors(n, p);
          const word *at = panel + p * kUnits * deep + (from + shift) * 16 * nv;
          for (int64_t g = 0; g < 4; g++) {
            panels::Term term{left.data() + g * units * ld + from - k, ld, at, to - from};
            panels::product<BF>(&term, 1, live, std::min(kUnits, n - p * kUnits), nv, nullptr,
                                dw.data_ptr<float>() + (g * s.H + row) * n + p * kUnits, n, from > first);
          }
        }
      };
      times(data(xs), s.E, out[4 * d], 0);
      // The shift selects the states of the previous time step.
      times(data(hs) + d * deep * s.Hp, s.H, out[4 * d + 1], d == 0 ? -s.batch : s.batch);
      for (int64_t g = 0; g < 4; g++)
        panels::add_rows<BF>(left.data() + g * units * ld, ld, end - k, live,
                             out[4 * d + 2].data_ptr<float>() + g * s.H + row);
    }
  });
  for (int64_t d = 0; d < s.D; d++) out[4 * d + 3] = out[4 * d + 2].clone();
}

} // namespace kernels::lstm
