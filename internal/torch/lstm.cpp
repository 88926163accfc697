// An LSTM layer, forward and backward, on AVX-512. Against libtorch's (oneDNN's) it lays the recurrent weights out once a batch
// instead of once a time step, works through both directions at the same time, skips the first step's product with states
// of zero, applies the cell to each tile of a product while it is in the cache, and takes the gradients of the
// weights in one product over all time steps. Under bfloat16 autocast products take bfloat16 factors; sums, cells,
// gradients of weights and what is returned stay float.
#include "autocast.h"
#include "handles.h"
#include "isa.h"
#include "lstm.h"
#include "parallel.h"

#include <vector>

using at::Tensor;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LSTM_AVX512
#include "cell.h"

namespace {

using panels::word;

constexpr int64_t kUnits = 32;  // of a tile: two vectors
constexpr int64_t kRowPad = 16; // words, so that the rows of a tile do not fall on the same lines of the cache
constexpr int64_t kDeep = 512;  // words that one product of a weight gradient sums over

int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
int64_t blocks(int64_t n) { return (n + kUnits - 1) / kUnits; }
int vectors(int64_t n, int64_t block) { return n - block * kUnits > 16 ? 2 : 1; }

// Sizes, all in one place. Hidden units lie in blocks of a tile's width. For each time step and block there is a tile [B][gate][unit] of
// gates and [B][unit] of cells: what a task writes is in one piece. A word holds "per" elements.
template <bool BF> struct Shape {
  static constexpr int64_t per = panels::kind<BF>::per;
  int64_t B, T, D, E, H, Hp; // Hp: hidden padded to vectors
  int64_t in, hid, gate, batch; // words of a row of x, of h, of all gates' gradients; of a time step's sum over the batch
  int64_t in_ld, hid_ld;        // words between rows
  Shape(int64_t b, int64_t t, int64_t d, int64_t e, int64_t h) : B(b), T(t), D(d), E(e), H(h), Hp(up(h, 16)) {
    in = (E + per - 1) / per, hid = Hp / per, gate = 4 * hid, batch = (B + per - 1) / per;
    in_ld = up(in, 16) + kRowPad, hid_ld = hid + kRowPad;
  }
  int64_t time(int64_t d, int64_t step) const { return d == 0 ? step : T - 1 - step; } // the reverse direction starts at the end
  int64_t units(int64_t block) const { return std::min(kUnits, Hp - block * kUnits); }
  int64_t live(int64_t block) const { return std::min(kUnits, H - block * kUnits); } // without padding
  // Gradients of gates: [D][T][block][B][dgate_ld(block)] words.
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

// x [B, T, E] with any strides of B and T as rows of words, time by time.
template <bool BF> void time_major(const Shape<BF> &s, const float *x, int64_t sb, int64_t st, word *out, int64_t t) {
  for (int64_t b = 0; b < s.B; b++, out += s.in_ld) panels::row_of<BF>(x + b * sb + t * st, s.E, s.in, out);
}

// Panels of w_ih and w_hh for the forward pass: for every tile of units the four gates, columns are units.
template <bool BF> void forward_panels(const Shape<BF> &s, const std::vector<Tensor> &w, word *ih, word *hh) {
  int64_t nb = blocks(s.Hp);
  each(s.D * 4 * nb, [&](int64_t task) {
    int64_t d = task / (4 * nb), g = task / nb % 4, u = task % nb * kUnits, n = s.live(task % nb);
    int nv = vectors(s.Hp, task % nb);
    int64_t column = (d * 4 + g) * s.Hp + u; // a panel takes words * 16 * nv, those before it words * column
    panels::from_columns<BF>(w[4 * d].data_ptr<float>() + (g * s.H + u) * s.E, s.E, n, s.E, s.in, nv, ih + column * s.in);
    panels::from_columns<BF>(w[4 * d + 1].data_ptr<float>() + (g * s.H + u) * s.H, s.H, n, s.H, s.hid, nv, hh + column * s.hid);
  });
}

// Panels of a weight [4H, N] for a product with gradients of gates, in the order of these.
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

// The terms of gradients of gates at time t times the panel at column p * kUnits, one for each block.
template <bool BF> void gate_terms(const Shape<BF> &s, const Tensor &dgates, int64_t d, int64_t t, const word *panel, int nv, std::vector<panels::Term> &out) {
  for (int64_t block = 0; block < blocks(s.Hp); block++) {
    int64_t words = 4 * s.units(block) / s.per;
    out.push_back({data(dgates) + s.dgates(d, t, block), s.dgate_ld(block), panel, words});
    panel += words * 16 * nv;
  }
}

struct Saved {
  Tensor x, hidden, gates, cells;
};

// states is undefined if it is not wanted. Without keep only what the next time step needs is held.
template <bool BF> Saved run_forward(const Shape<BF> &s, const Tensor &x, const std::vector<Tensor> &w, Tensor &states, Tensor &last, bool keep) {
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
  for (int64_t step = 0; step < s.T; step++)
    each(s.D * nb, [&](int64_t task) {
      int64_t d = task / nb, block = task % nb, u = block * kUnits, t = s.time(d, step), before = s.time(d, step - 1);
      int nv = vectors(s.Hp, block);
      auto tile = [&](int64_t time) { return (d * held + (keep ? time : 0)) * s.B * s.Hp + s.B * u; };
      word *h = data(v.hidden) + d * N * s.hid_ld;
      float *gates = v.gates.data_ptr<float>() + 4 * tile(t);
      for (int64_t g = 0; g < 4; g++) {
        int64_t column = (d * 4 + g) * s.Hp + u;
        panels::Term terms[2] = {{data(v.x) + t * s.B * s.in_ld, s.in_ld, data(ih) + column * s.in, s.in},
                                 {h + before * s.B * s.hid_ld, s.hid_ld, data(hh) + column * s.hid, s.hid}};
        panels::product<BF>(terms, step > 0 ? 2 : 1, s.B, 16 * nv, nv, bias.data_ptr<float>() + column, gates + g * 16 * nv,
                            4 * 16 * nv, false);
      }
      cell::Step<E> c{};
      c.gates = gates, c.units = 16 * nv, c.live = s.live(block);
      c.cell = v.cells.data_ptr<float>() + tile(t);
      if (step > 0) c.before = v.cells.data_ptr<float>() + tile(before);
      c.hidden = reinterpret_cast<E *>(h + t * s.B * s.hid_ld) + u, c.hidden_ld = s.hid_ld * s.per;
      if (states.defined()) c.states = states.data_ptr<float>() + t * s.D * s.H + d * s.H + u, c.states_ld = s.T * s.D * s.H;
      if (step == s.T - 1) c.last = last.data_ptr<float>() + d * s.B * s.H + u, c.last_ld = s.H;
      cell::forward(c, s.B);
    });
  return v;
}

// Gradients of the gates' pre-activations, as Shape lays them out.
template <bool BF>
Tensor gate_gradients(const Shape<BF> &s, const Saved &v, const std::vector<Tensor> &w, const Tensor &dstates, const Tensor &dlast) {
  using E = typename panels::kind<BF>::element;
  int64_t nb = blocks(s.Hp);
  Tensor hh = buffer(s.D * s.gate * s.Hp), dgates = buffer(s.dgates(s.D, 0, 0)), dcell = buffer(s.D * s.B * s.Hp);
  for (int64_t d = 0; d < s.D; d++) backward_panels<BF>(s, w[4 * d + 1], s.H, data(hh) + d * s.gate * s.Hp);
  for (int64_t step = s.T - 1; step >= 0; step--)
    each(s.D * nb, [&](int64_t task) {
      int64_t d = task / nb, block = task % nb, u = block * kUnits, t = s.time(d, step);
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
      if (dstates.defined()) c.dstates = dstates.data_ptr<float>() + t * s.D * s.H + d * s.H + u, c.dstates_ld = s.T * s.D * s.H;
      c.gates = v.gates.data_ptr<float>() + 4 * tile(t), c.units = 16 * nv, c.live = s.live(block);
      c.cell = v.cells.data_ptr<float>() + tile(t);
      if (step > 0) c.before = v.cells.data_ptr<float>() + tile(s.time(d, step - 1));
      c.dcell = dcell.data_ptr<float>() + d * s.B * s.Hp + s.B * u;
      c.dgates = reinterpret_cast<E *>(data(dgates) + s.dgates(d, t, block)), c.dgate_ld = s.dgate_ld(block) * s.per;
      cell::backward(c, s.B);
    });
  return dgates;
}

// d x [B, T, E] = d gates times w_ih, of both directions.
template <bool BF> Tensor input_gradient(const Shape<BF> &s, const Tensor &dgates, const std::vector<Tensor> &w) {
  int64_t nb = blocks(s.E), wide = up(s.E, 16);
  Tensor ih = buffer(s.D * s.gate * wide), dx = at::empty({s.B, s.T, s.E}, at::kFloat);
  for (int64_t d = 0; d < s.D; d++) backward_panels<BF>(s, w[4 * d], s.E, data(ih) + d * s.gate * wide);
  each(s.T * nb, [&](int64_t task) {
    int64_t t = task / nb, p = task % nb;
    int nv = vectors(s.E, p);
    std::vector<panels::Term> terms;
    for (int64_t d = 0; d < s.D; d++) gate_terms(s, dgates, d, t, data(ih) + d * s.gate * wide + p * kUnits * s.gate, nv, terms);
    panels::product<BF>(terms.data(), terms.size(), s.B, std::min(kUnits, s.E - p * kUnits), nv, nullptr,
                        dx.data_ptr<float>() + t * s.E + p * kUnits, s.T * s.E, false);
  });
  return dx;
}

// Panels of rows of activations [T][B][ld words], which are summed over, time by time: columns are features.
template <bool BF> void activation_panels(const Shape<BF> &s, const word *rows, int64_t ld, int64_t n, word *out) {
  using E = typename panels::kind<BF>::element;
  each(blocks(n), [&](int64_t p) {
    int nv = vectors(n, p);
    for (int64_t t = 0; t < s.T; t++)
      panels::from_rows<BF>(reinterpret_cast<const E *>(rows + t * s.B * ld) + p * kUnits, ld * s.per, s.B, s.batch, n - p * kUnits, nv,
                            out + (p * kUnits * s.T + t * 16 * nv) * s.batch);
  });
}

// Gradients of w_ih, w_hh and the biases of every direction: d gates transposed times x, times the states before, and summed.
template <bool BF> void weight_gradients(const Shape<BF> &s, const Saved &v, const Tensor &dgates, std::vector<Tensor> &out) {
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
    static thread_local std::vector<word> left; // the block's gates as rows, of a stretch of what is summed over
    left.resize(4 * kUnits * ld);
    for (int64_t k = 0; k < deep; k += kDeep) {
      int64_t end = std::min(k + kDeep, deep);
      for (int64_t t = k / s.batch; t * s.batch < end; t++) {
        int64_t from = std::max<int64_t>(0, k - t * s.batch), to = std::min(s.batch, end - t * s.batch);
        const E *src = reinterpret_cast<const E *>(data(dgates) + s.dgates(d, t, block) + from * s.per * s.dgate_ld(block));
        panels::transposed<BF>(src, s.dgate_ld(block) * s.per, s.B - from * s.per, to - from, 4 * units,
                               left.data() + t * s.batch + from - k, ld);
      }
      // Row k of d gates meets row k + shift of these panels, if there is one.
      auto times = [&](const word *panel, int64_t n, Tensor &dw, int64_t shift) {
        int64_t first = std::max<int64_t>(0, -shift), from = std::max(k, first), to = std::min(end, deep - std::max<int64_t>(0, shift));
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
      times(data(hs) + d * deep * s.Hp, s.H, out[4 * d + 1], d == 0 ? -s.batch : s.batch); // the state one step before
      for (int64_t g = 0; g < 4; g++)
        panels::add_rows<BF>(left.data() + g * units * ld, ld, end - k, live, out[4 * d + 2].data_ptr<float>() + g * s.H + row);
    }
  });
  for (int64_t d = 0; d < s.D; d++) out[4 * d + 3] = out[4 * d + 2].clone();
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <bool BF> struct Layer : torch::autograd::Function<Layer<BF>> {
  static Shape<BF> shape(const Tensor &x, const std::vector<Tensor> &w) {
    return {x.size(0), x.size(1), int64_t(w.size() / 4), x.size(2), w[1].size(1)};
  }

  static variable_list forward(AutogradContext *ctx, const Tensor &x, at::TensorList weights, bool want_states, bool keep) {
    std::vector<Tensor> w;
    for (const Tensor &t : weights) w.push_back(t.contiguous());
    auto s = shape(x, w);
    Tensor states = want_states ? at::empty({s.B, s.T, s.D * s.H}, at::kFloat) : Tensor();
    Tensor last = at::empty({s.D, s.B, s.H}, at::kFloat);
    Saved v = run_forward<BF>(s, x.stride(2) == 1 ? x : x.contiguous(), w, states, last, keep);
    if (keep) {
      variable_list all = {v.x, v.hidden, v.gates, v.cells};
      all.insert(all.end(), w.begin(), w.end());
      ctx->save_for_backward(all);
      ctx->saved_data["sizes"] = std::vector<int64_t>{s.B, s.T, s.D, s.E, s.H};
      ctx->saved_data["states"] = want_states;
    }
    ctx->set_materialize_grads(false);
    if (!want_states) return {last};
    return {last, states};
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the fast LSTM has no second derivative; take the first without recording it");
    auto all = ctx->get_saved_variables();
    Saved v{all[0], all[1], all[2], all[3]};
    std::vector<Tensor> w(all.begin() + 4, all.end());
    auto z = ctx->saved_data["sizes"].toIntVector();
    Shape<BF> s(z[0], z[1], z[2], z[3], z[4]);
    Tensor dlast = grads[0].defined() ? grads[0].contiguous() : Tensor(), dstates;
    if (grads.size() > 1 && grads[1].defined()) dstates = grads[1].contiguous();
    Tensor dgates = gate_gradients<BF>(s, v, w, dstates, dlast);
    variable_list out(w.size() + 3);
    if (ctx->needs_input_grad(0)) out[0] = input_gradient<BF>(s, dgates, w);
    bool any = false;
    for (size_t i = 0; i < w.size(); i++) any |= ctx->needs_input_grad(i + 1);
    if (any) {
      std::vector<Tensor> dw(w.size());
      weight_gradients<BF>(s, v, dgates, dw);
      for (size_t i = 0; i < w.size(); i++)
        if (ctx->needs_input_grad(i + 1)) out[i + 1] = dw[i];
    }
    return out;
  }
};

template <bool BF> variable_list fast(const Tensor &x, const std::vector<Tensor> &w, bool want_states) {
  bool keep = x.requires_grad();
  for (const Tensor &t : w) keep |= t.requires_grad();
  return Layer<BF>::apply(x, at::TensorList(w), want_states, keep && at::GradMode::is_enabled());
}

} // namespace
#endif

namespace {

void check(const Tensor &x, const std::vector<Tensor> &w) {
  TORCH_CHECK(x.dim() == 3 && (w.size() == 4 || w.size() == 8) && w[1].dim() == 2, "x must be [B, T, in], with four or eight weights");
  int64_t h = w[1].size(1);
  for (size_t i = 0; i < w.size(); i++) {
    std::vector<int64_t> want = {4 * h};
    if (i % 4 < 2) want.push_back(i % 4 == 0 ? x.size(2) : h);
    TORCH_CHECK(w[i].sizes() == want, "weight ", i, " is ", w[i].sizes(), ", not ", want);
  }
}

// cuDNN wants an LSTM's weights to lie in one block; otherwise it gathers them at every call, and warns. Done at the first call: each
// weight becomes a view of the block, under the same handle.
void gather(const std::vector<Tensor> &weights) {
  bool one = true;
  for (const Tensor &w : weights) one = one && w.storage().data() == weights[0].storage().data();
  if (one) return;
  torch::NoGradGuard no_grad;
  constexpr int64_t kLSTM = 2;
  at::_cudnn_rnn_flatten_weight(weights, 4, weights[0].size(1), kLSTM, weights[1].size(1), 0, 1, true, weights.size() == 8);
}

} // namespace

char *shim_lstm(handle *states, handle *last, handle hx, handle *weights, int n, int want_states, int route) {
  return guard([&] {
    const Tensor &x = at_(hx);
    std::vector<Tensor> w;
    for (int i = 0; i < n; i++) w.push_back(at_(weights[i]));
    check(x, w);
    *states = nullptr;
#ifdef LSTM_AVX512
    bool floats = x.is_cpu() && x.numel() > 0;
    for (const Tensor &t : w) floats = floats && t.is_cpu() && t.scalar_type() == at::kFloat;
    if (route == lstm_fast && floats && isa::level() == isa::avx512) {
      Tensor f = x.to(at::kFloat);
      bool half = autocast::enabled(at::kCPU) && isa::bf16();
      auto out = half ? fast<true>(f, w, want_states) : fast<false>(f, w, want_states);
      *last = new Tensor(out[0]);
      if (want_states) *states = new Tensor(out[1]);
      return;
    }
#endif
    // Autocast would make cuDNN's float16, whose gradients vanish without loss scaling, and oneDNN's bfloat16 on CPUs that cannot multiply it.
    // cuDNN keeps what a backward pass needs only in "training", which without dropout means nothing else.
    c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    Tensor in = x.to(w[0].scalar_type());
    if (in.is_cuda() && at::cudnn_is_acceptable(in)) gather(w);
    Tensor zero = at::zeros({n / 4, x.size(0), w[1].size(1)}, w[1].options());
    auto out = at::lstm(in, {zero, zero}, w, true, 1, 0, at::GradMode::is_enabled(), n == 8, true);
    if (want_states) *states = new Tensor(std::get<0>(out));
    *last = new Tensor(std::get<1>(out));
  });
}
