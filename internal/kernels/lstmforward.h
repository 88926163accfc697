// The forward pass of the LSTM (lstm.h).
#pragma once
#include "lstmsizes.h"

namespace kernels::lstm {

// Runs all time steps. If the tensor "states" is defined, all states are written to this tensor. If
// keep is set, gates and cells of all steps are kept for the backward pass. Otherwise only those
// that the next step needs are kept.
template <bool BF>
Saved run_forward(const Shape<BF> &s, const Tensor &x, const std::vector<Tensor> &w, Tensor &states, Tensor &last,
                  bool keep) {
  using E = typename panels::kind<BF>::element;
  int64_t nb = blocks(s.Hp), held = keep ? s.T : 1, N = s.T * s.B;
  Saved v;
  v.x = buffer(N * s.in_ld + 16);
  v.hidden = buffer(s.D * N * s.hid_ld);
  v.gates = buffer(s.D * held * s.B * 4 * s.Hp);
  v.cells = buffer(s.D * held * s.B * s.Hp);
  Tensor ih = buffer(s.D * 4 * s.Hp * s.in), hh = buffer(s.D * 4 * s.Hp * s.hid), bias = at::zeros({s.D, 4, s.Hp});
  for (int64_t d = 0; d < s.D; d++) bias[d].narrow(1, 0, s.H).copy_((w[4 * d + 2] + w[4 * d + 3]).view({4, s.H}));
  each(s.T, [&](int64_t t) {
    time_major<BF>(s, x.data_ptr<float>(), x.stride(0), x.stride(1), data(v.x) + t * s.B * s.in_ld, t);
  });
  forward_panels<BF>(s, w, data(ih), data(hh));
  recur(s.T, s.D, nb, [&](int64_t step, int64_t d, int64_t block) {
    int64_t u = block * kUnits, t = s.time(d, step), before = s.time(d, step - 1);
    int nv = vectors(s.Hp, block);
    auto tile = [&](int64_t time) { return (d * held + (keep ? time : 0)) * s.B * s.Hp + s.B * u; };
    word *h = data(v.hidden) + d * N * s.hid_ld;
    float *gates = v.gates.data_ptr<float>() + 4 * tile(t);
    for (int64_t g = 0; g < 4; g++) {
      int64_t column = (d * 4 + g) * s.Hp + u;
      panels::Term terms[2] = {{data(v.x) + t * s.B * s.in_ld, s.in_ld, data(ih) + column * s.in, s.in},
                               {h + before * s.B * s.hid_ld, s.hid_ld, data(hh) + column * s.hid, s.hid}};
      panels::product<BF>(terms, step > 0 ? 2 : 1, s.B, 16 * nv, nv, bias.data_ptr<float>() + column,
                          gates + g * 16 * nv, 4 * 16 * nv, false);
    }
    cell::Step<E> c{};
    c.gates = gates, c.units = 16 * nv, c.live = s.live(block);
    c.cell = v.cells.data_ptr<float>() + tile(t);
    if (step > 0) c.before = v.cells.data_ptr<float>() + tile(before);
    c.hidden = reinterpret_cast<E *>(h + t * s.B * s.hid_ld) + u, c.hidden_ld = s.hid_ld * s.per;
    if (states.defined())
      c.states = states.data_ptr<float>() + t * s.D * s.H + d * s.H + u, c.states_ld = s.T * s.D * s.H;
    if (step == s.T - 1) c.last = last.data_ptr<float>() + d * s.B * s.H + u, c.last_ld = s.H;
    cell::forward(c, s.B);
  });
  return v;
}

} // namespace kernels::lstm
