// The cross-entropy of a vocabulary layer, the sum or mean of -log softmax(x w^T + b)[target].
// Unlike at::linear and at::cross_entropy_loss, it computes the logits in chunks, replaces those of
// a chunk by their gradient in place, and drops the chunk.
#pragma once
#include "autocast.h"
#include "linear.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "no-math-errno") // see BY_CPU
#endif

namespace kernels {

// Sets loss[r] to -log softmax(logits)[target] for every row r with from <= r < to. If grad is set,
// it also replaces the logits by their gradient, (softmax - onehot) * weight.
template <class L>
INLINE void softmax_rows_(L *logits, const int64_t *target, double *loss, int64_t from, int64_t to, int64_t v,
                          float weight, bool grad, float *scratch) {
  for (int64_t r = from; r < to; r++) {
    L *row = logits + r * v;
    float top = -INFINITY, sum = 0;
#pragma omp simd reduction(max : top)
    for (int64_t i = 0; i < v; i++) {
      float x = load(row[i]);
      top = x > top ? x : top;
    }
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < v; i++) {
      float e = fast_exp(load(row[i]) - top);
      scratch[i] = e;
      sum += e;
    }
    loss[r] = std::log(double(sum)) + top - load(row[target[r]]);
    if (!grad) continue;
    float s = weight / sum;
    scratch[target[r]] -= sum;
#pragma omp simd
    for (int64_t i = 0; i < v; i++) store(row[i], scratch[i] * s);
  }
}
template <class X>
void softmax_rows(X *logits, const int64_t *target, double *loss, int64_t from, int64_t to, int64_t v, float weight,
                  bool grad, float *scratch) {
  BY_CPU(softmax_rows_(logits, target, loss, from, to, v, weight, grad, scratch))
}

} // namespace kernels

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace kernels {

// The number of bytes of logits in a chunk. Many rows make products fast. But a block of 32 MB or
// more would be mapped and faulted in again at each step.
constexpr int64_t kLogits = 31 << 20;

// Computes the gradients in the forward pass, chunk by chunk. The backward pass only scales them,
// as Hsu et al. 2024 ("Liger kernel") do on GPUs.
struct VocabLoss : Function<VocabLoss> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &w, const Tensor &b, const Tensor &target,
                        bool half, bool mean, bool save) {
    c10::impl::ExcludeDispatchKeyGuard plain(c10::autocast_dispatch_keyset);
    auto type = half ? at::kBFloat16 : at::kFloat;
    Tensor xs = x.to(type).contiguous(), ws = w.to(type), bs = b.to(type), ids = target.contiguous();
    int64_t n = x.size(0), v = w.size(0), most = std::max<int64_t>(64, kLogits / (v * (half ? 2 : 4)));
    int64_t chunks = (n + most - 1) / most, rows = (n + chunks - 1) / chunks;
    float weight = mean ? 1 / float(n) : 1;
    std::vector<double> losses(n);
    Tensor dx, dw, db;
    if (save) {
      dx = at::empty_like(x);
      db = at::zeros_like(b);
    }
    check_ids(ids, v);
    for (int64_t at = 0; at < n; at += rows) {
      int64_t count = std::min(rows, n - at);
      Tensor part = xs.narrow(0, at, count), logits = product(part, ws, bs);
      const int64_t *want = ids.data_ptr<int64_t>() + at;
      typed(logits, [&](auto *p) {
        threads::parallel_for(0, count, 8, [&](int64_t from, int64_t to) {
          std::vector<float> scratch(v);
          softmax_rows(p, want, losses.data() + at, from, to, v, weight, save, scratch.data());
        });
        if (save)
          over_columns(v, [&](int64_t from, int64_t to) { column_sums(p, db.data_ptr<float>(), count, v, from, to); });
      });
      if (!save) continue;
      dx.narrow(0, at, count).copy_(product_back(logits, ws));
      if (at == 0)
        dw = at::mm(logits.t(), part).to(at::kFloat);
      else if (half)
        dw.add_(at::mm(logits.t(), part));
      else
        dw.addmm_(logits.t(), part);
    }
    double total = 0;
    for (double l : losses) total += l;
    if (save) ctx->save_for_backward({dx, dw, db});
    return at::full({}, mean ? total / n : total, x.options().dtype(at::kFloat));
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    double g = grads[0].item<double>();
    if (g != 1)
      for (Tensor &t : saved) t = t * g;
    return {saved[0], saved[1], saved[2], {}, {}, {}, {}};
  }
};

extern "C" char *kernels_vocab_loss(handle *out, handle x, handle w, handle b, handle target, int mean) {
  return guard([&] {
    TORCH_CHECK(at_(x).dim() == 2 && at_(x).size(1) == at_(w).size(1), "x has ", at_(x).size(-1),
                " features, the weights want ", at_(w).size(1));
    TORCH_CHECK(at_(w).size(0) == at_(b).size(0), at_(w).size(0), " rows of weights, a bias of ", at_(b).size(0));
    TORCH_CHECK(at_(x).size(0) == at_(target).size(0) && at_(x).size(0) > 0,
                "rows and targets differ in number, or there are none");
    if (at_(x).is_cpu()) {
      *out = new Tensor(VocabLoss::apply(at_(x), at_(w), at_(b), at_(target), autocast::enabled(at::kCPU), mean != 0,
                                         recorded({at_(x), at_(w), at_(b)})));
      return;
    }
    Tensor logits = linear_elsewhere(at_(x), at_(w), at_(b)).to(at::kFloat);
    *out = new Tensor(at::cross_entropy_loss(logits, at_(target), {}, mean ? at::Reduction::Mean : at::Reduction::Sum));
  });
}

} // namespace kernels
