// An LSTM layer, forward and backward, with AVX-512. It differs from libtorch's layer (oneDNN's) in
// several ways. It packs the recurrent weights once per batch instead of once per time step. It
// processes both directions at the same time. It skips the product of the first step, whose states
// are zero. It applies the cell to each tile of a product while the tile is in the cache. It
// computes the gradients of the weights in one product over all time steps.
//
// Under bfloat16 autocast, the factors of products are bfloat16. Sums, cells, gradients of weights
// and results stay float.
#pragma once
#include "autocast.h"
#include "isa.h"
#include "kernels.h"
#include "op.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LSTM_AVX512
#include "lstmbackward.h"
#include "lstmforward.h"

namespace kernels::lstm {

using torch::autograd::variable_list;

template <bool BF> struct Layer : torch::autograd::Function<Layer<BF>> {
  static Shape<BF> shape(const Tensor &x, const std::vector<Tensor> &w) {
    return {x.size(0), x.size(1), int64_t(w.size() / 4), x.size(2), w[1].size(1)};
  }

  static variable_list forward(AutogradContext *ctx, const Tensor &x, at::TensorList weights, bool want_states,
                               bool keep) {
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
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "the fast LSTM has no second derivative; take the first without recording it");
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

} // namespace kernels::lstm
#endif

namespace kernels::lstm {

inline void check(const Tensor &x, const std::vector<Tensor> &w) {
  TORCH_CHECK(x.dim() == 3 && (w.size() == 4 || w.size() == 8) && w[1].dim() == 2,
              "x must be [B, T, in], with four or eight weights");
  int64_t h = w[1].size(1);
  for (size_t i = 0; i < w.size(); i++) {
    std::vector<int64_t> want = {4 * h};
    if (i % 4 < 2) want.push_back(i % 4 == 0 ? x.size(2) : h);
    TORCH_CHECK(w[i].sizes() == want, "weight ", i, " is ", w[i].sizes(), ", not ", want);
  }
}

// Moves the weights into one block of memory, as cuDNN expects. Otherwise cuDNN would gather them
// at every call and print a warning. At the first call, each weight becomes a view of the block and
// keeps its handle.
inline void gather(const std::vector<Tensor> &weights) {
  bool one = true;
  for (const Tensor &w : weights) one = one && w.storage().data() == weights[0].storage().data();
  if (one) return;
  at::NoGradGuard no_grad;
  constexpr int64_t kLSTM = 2;
  at::_cudnn_rnn_flatten_weight(weights, 4, weights[0].size(1), kLSTM, weights[1].size(1), 0, 1, true,
                                weights.size() == 8);
}

extern "C" char *kernels_lstm(handle *states, handle *last, handle hx, handle *weights, int n, int want_states) {
  return guard([&] {
    const Tensor &x = at_(hx);
    std::vector<Tensor> w;
    for (int i = 0; i < n; i++) w.push_back(at_(weights[i]));
    check(x, w);
    *states = nullptr;
#ifdef LSTM_AVX512
    bool floats = x.is_cpu() && x.numel() > 0;
    for (const Tensor &t : w) floats = floats && t.is_cpu() && t.scalar_type() == at::kFloat;
    if (floats && isa::level() == isa::avx512) {
      Tensor f = x.to(at::kFloat);
      bool half = autocast::enabled(at::kCPU) && isa::bf16();
      auto out = half ? fast<true>(f, w, want_states) : fast<false>(f, w, want_states);
      *last = new Tensor(out[0]);
      if (want_states) *states = new Tensor(out[1]);
      return;
    }
#endif
    // Without this guard, autocast would use float16 in cuDNN, whose gradients vanish without loss
    // scaling. In oneDNN it would use bfloat16, even on CPUs without bfloat16 arithmetic.
    c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    Tensor in = x.to(w[0].scalar_type());
    if (in.is_cuda() && at::cudnn_is_acceptable(in)) gather(w);
    Tensor zero = at::zeros({n / 4, x.size(0), w[1].size(1)}, w[1].options());
    // cuDNN keeps the data for a backward pass only in training mode, which is the argument after
    // the dropout of 0. Without dropout, this mode changes nothing else.
    auto out = at::lstm(in, {zero, zero}, w, true, 1, 0, at::GradMode::is_enabled(), n == 8, true);
    if (want_states) *states = new Tensor(std::get<0>(out));
    *last = new Tensor(std::get<1>(out));
  });
}

} // namespace kernels::lstm
