// Operations of the Transformer and of a vocabulary layer, each with its gradient written out: what is elementwise happens in one pass
// (kernels.h), products go the fastest route, nothing is kept that the backward pass can make again. On a device that is not the CPU
// they are put together from libtorch's own.
#include "autocast.h"
#include "handles.h"
#include "onednn.h"
#include "parallel.h"

#include <vector>

#include "kernels.h"

using kernels::bf16;
using kernels::Drop;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using Tensors = torch::autograd::variable_list;

namespace {

bool recorded(std::initializer_list<Tensor> inputs) {
  if (!torch::GradMode::is_enabled()) return false;
  for (const Tensor &t : inputs)
    if (t.defined() && t.requires_grad()) return true;
  return false;
}

// Dropout's seed comes from the generator that shim_seed sets and a checkpoint keeps.
uint64_t draw(double p) {
  if (p <= 0) return 0;
  auto gen = at::detail::getDefaultCPUGenerator();
  std::lock_guard<std::mutex> lock(gen.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(gen)->random64();
}

// Calls f with x's memory as float or bf16.
template <class F> void typed(const Tensor &x, F f) {
  if (x.scalar_type() == at::kBFloat16)
    f(reinterpret_cast<bf16 *>(x.data_ptr<at::BFloat16>()));
  else
    f(x.data_ptr<float>());
}
template <class X> X *as(const Tensor &t) { return reinterpret_cast<X *>(t.data_ptr()); }

// Rows of one block; sums over rows are kept a block, so that they do not depend on the number of threads.
constexpr int64_t kRows = 64;

template <class F> void over_rows(int64_t n, F f) {
  threads::parallel_for(0, (n + kRows - 1) / kRows, 1, [&](int64_t a, int64_t b) {
    for (int64_t k = a; k < b; k++) f(k * kRows, std::min(n, (k + 1) * kRows), k);
  });
}

// Columns are divided at cache lines.
template <class F> void over_columns(int64_t d, F f) {
  threads::parallel_for(0, (d + 63) / 64, 1, [&](int64_t a, int64_t b) { f(a * 64, std::min(d, b * 64)); });
}

void check_ids(const Tensor &ids, int64_t n) {
  const int64_t *p = ids.data_ptr<int64_t>();
  for (int64_t i = 0; i < ids.numel(); i++) TORCH_CHECK_INDEX(p[i] >= 0 && p[i] < n, "index out of range: ", p[i], " of ", n);
}

Tensor column_sums(const Tensor &g) {
  Tensor sums = at::zeros({g.size(1)}, g.options().dtype(at::kFloat));
  over_columns(g.size(1), [&](int64_t from, int64_t to) {
    typed(g, [&](auto *p) { kernels::column_sums(p, sums.data_ptr<float>(), g.size(0), g.size(1), from, to); });
  });
  return sums;
}

// libtorch takes MKL's product for at::linear in float32, which is a tenth to a fifth slower than oneDNN's where there are at least as many
// outputs as inputs (docs/performance.md).
bool onednn_pays(const Tensor &x, int64_t in, int64_t out) {
  return x.scalar_type() == at::kFloat && onednn::makes(at::kFloat) && x.size(0) * in * out >= 1 << 22;
}

// x [n, in], w [out, in] -> [n, out].
Tensor product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b) {
  if (w.size(0) >= w.size(1) && onednn_pays(x, w.size(1), w.size(0))) return onednn::linear(x, w, b, false);
  return at::linear(x, w, b);
}

// g [n, out], w [out, in] -> g w.
Tensor product_back(const Tensor &g, const Tensor &w) {
  if (onednn_pays(g, w.size(1), w.size(0))) return onednn::linear(g, w.t(), {}, false);
  return at::mm(g, w);
}

// ---- linear, with or without ReLU and dropout -----------------------------------------------------------------------

struct Linear : Function<Linear> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &w, const c10::optional<Tensor> &b, bool half,
                        bool relu, double p, uint64_t seed, bool save) {
    c10::impl::ExcludeDispatchKeyGuard plain(c10::autocast_dispatch_keyset);
    auto type = half ? at::kBFloat16 : at::kFloat;
    Tensor xs = x.reshape({-1, x.size(-1)}).to(type).contiguous(), ws = w.to(type);
    Tensor y = product(xs, ws, b ? c10::optional<Tensor>(b->to(type)) : c10::nullopt);
    if (relu) {
      Drop drop(seed, p);
      over_rows(y.size(0), [&](int64_t from, int64_t to, int64_t) {
        typed(y, [&](auto *q) { kernels::relu_drop(q, from, to, y.size(1), drop); });
      });
    }
    if (save) {
      ctx->save_for_backward({xs, ws, relu ? y : Tensor()});
      ctx->saved_data["scale"] = 1 / (1 - p);
      ctx->saved_data["bias"] = b.has_value();
      ctx->saved_data["type"] = x.scalar_type();
    }
    auto shape = x.sizes().vec();
    shape.back() = w.size(0);
    return y.view(shape);
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor x = saved[0], w = saved[1], y = saved[2];
    auto shape = grads[0].sizes().vec();
    Tensor g = grads[0].reshape({-1, w.size(0)}).to(x.scalar_type()).contiguous();
    if (y.defined()) {
      Tensor cut = at::empty_like(g);
      float scale = float(ctx->saved_data["scale"].toDouble());
      threads::parallel_for(0, g.numel(), 1 << 15, [&](int64_t from, int64_t to) {
        typed(g, [&](auto *p) {
          using X = std::remove_pointer_t<decltype(p)>;
          kernels::relu_drop_back(p, as<X>(y), as<X>(cut), from, to, scale);
        });
      });
      g = cut;
    }
    Tensor dx, dw, db;
    if (ctx->needs_input_grad(0)) {
      shape.back() = w.size(1);
      dx = product_back(g, w).to(ctx->saved_data["type"].toScalarType()).view(shape);
    }
    if (ctx->needs_input_grad(1)) dw = at::mm(g.t(), x).to(at::kFloat);
    if (ctx->saved_data["bias"].toBool() && ctx->needs_input_grad(2)) db = column_sums(g);
    return {dx, dw, db, {}, {}, {}, {}, {}};
  }
};

// ---- attention ------------------------------------------------------------------------------------------------------

// Where queries, keys and values lie: all three in q [B, T, 3d], or queries in q [B, T, d] and the others in kv [B, S, 2d].
struct Layout {
  int64_t b, t, s, d, heads;
  bool self;
  kernels::Head head;

  Layout(const Tensor &q, const Tensor &kv, int64_t heads, bool causal)
      : b(q.size(0)), t(q.size(1)), heads(heads), self(!kv.defined()) {
    s = self ? t : kv.size(1);
    d = self ? q.size(2) / 3 : q.size(2);
    int64_t width = d / heads;
    head = {t, s, width, causal, float(1 / std::sqrt(double(width)))};
  }
  template <class X> kernels::Rows<X> queries(X *q, int64_t i, int64_t h) const {
    int64_t step = self ? 3 * d : d;
    return {q + i * t * step + h * head.d, step};
  }
  template <class X> kernels::Rows<X> keys(X *q, X *kv, int64_t i, int64_t h, int which) const { // 0 keys, 1 values
    if (self) return {q + i * t * 3 * d + (1 + which) * d + h * head.d, 3 * d};
    return {kv + i * s * 2 * d + which * d + h * head.d, 2 * d};
  }
  template <class F> void each(F f) const {
    threads::parallel_for(0, b * heads, 1, [&](int64_t from, int64_t to) {
      std::vector<float> scratch(kernels::attention_scratch(t, s, head.d));
      for (int64_t k = from; k < to; k++) f(k / heads, k % heads, k, scratch.data());
    });
  }
};

struct Attention : Function<Attention> {
  static Tensor forward(AutogradContext *ctx, const Tensor &q, const c10::optional<Tensor> &other, int64_t heads,
                        bool causal, double p, uint64_t seed, bool save) {
    Tensor kv = other.value_or(Tensor());
    Layout l(q, kv, heads, causal);
    Tensor out = at::empty({l.b, l.t, l.d}, q.options());
    Tensor probs = save ? at::empty({l.b, heads, l.t, l.s}, q.options().dtype(at::kFloat)) : Tensor();
    float *pr = save ? probs.data_ptr<float>() : nullptr;
    Drop drop(seed, p);
    typed(q, [&](auto *qp) {
      using X = std::remove_pointer_t<decltype(qp)>;
      const X *cq = qp, *ckv = l.self ? nullptr : as<X>(kv);
      X *op = as<X>(out);
      l.each([&](int64_t i, int64_t h, int64_t k, float *scratch) {
        kernels::attend(l.head, l.queries(cq, i, h), l.keys(cq, ckv, i, h, 0), l.keys(cq, ckv, i, h, 1),
                        kernels::Rows<X>{op + i * l.t * l.d + h * l.head.d, l.d}, pr ? pr + k * l.t * l.s : nullptr, drop,
                        uint64_t(k) * l.t, scratch);
      });
    });
    if (save) {
      ctx->save_for_backward({q, kv, probs});
      ctx->saved_data["heads"] = heads;
      ctx->saved_data["causal"] = causal;
      ctx->saved_data["p"] = p;
      ctx->saved_data["seed"] = int64_t(seed);
    }
    return out;
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor q = saved[0], kv = saved[1], probs = saved[2];
    Layout l(q, kv, ctx->saved_data["heads"].toInt(), ctx->saved_data["causal"].toBool());
    Tensor g = grads[0].to(q.scalar_type()).contiguous();
    Tensor dq = at::empty_like(q), dkv = l.self ? Tensor() : at::empty_like(kv);
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    const float *pr = probs.data_ptr<float>();
    typed(q, [&](auto *qp) {
      using X = std::remove_pointer_t<decltype(qp)>;
      const X *cq = qp, *ckv = l.self ? nullptr : as<X>(kv), *gp = as<X>(g);
      X *dqp = as<X>(dq), *dkvp = l.self ? nullptr : as<X>(dkv);
      l.each([&](int64_t i, int64_t h, int64_t k, float *scratch) {
        kernels::attend_back(l.head, kernels::Rows<const X>{gp + i * l.t * l.d + h * l.head.d, l.d}, l.queries(cq, i, h),
                             l.keys(cq, ckv, i, h, 0), l.keys(cq, ckv, i, h, 1), pr + k * l.t * l.s, drop,
                             uint64_t(k) * l.t, l.queries(dqp, i, h), l.keys(dqp, dkvp, i, h, 0),
                             l.keys(dqp, dkvp, i, h, 1), scratch);
      });
    });
    return {dq, dkv, {}, {}, {}, {}, {}};
  }
};

// ---- layer norm of x + dropout(y) ---------------------------------------------------------------------------------------

struct AddNorm : Function<AddNorm> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, const Tensor &y, const Tensor &w, const Tensor &b,
                        double p, uint64_t seed, bool save) {
    int64_t d = x.size(-1), n = x.numel() / d;
    Tensor out = at::empty_like(x), hat, rstd;
    if (save) {
      hat = at::empty_like(x);
      rstd = at::empty({n}, x.options());
    }
    kernels::Norm norm{w.data_ptr<float>(), b.data_ptr<float>(), d, 1e-5f};
    Drop drop(seed, p);
    typed(y, [&](auto *yp) {
      over_rows(n, [&](int64_t from, int64_t to, int64_t) {
        kernels::add_norm(x.data_ptr<float>(), yp, norm, drop, out.data_ptr<float>(),
                          save ? hat.data_ptr<float>() : nullptr, save ? rstd.data_ptr<float>() : nullptr, from, to);
      });
    });
    if (save) {
      ctx->save_for_backward({hat, rstd, w, b});
      ctx->saved_data["p"] = p;
      ctx->saved_data["seed"] = int64_t(seed);
      ctx->saved_data["type"] = y.scalar_type();
    }
    return out;
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    auto saved = ctx->get_saved_variables();
    Tensor hat = saved[0], rstd = saved[1], w = saved[2], b = saved[3];
    Tensor g = grads[0].contiguous();
    int64_t d = hat.size(-1), n = hat.numel() / d, blocks = (n + kRows - 1) / kRows;
    Tensor dx = at::empty_like(hat), dy = at::empty_like(hat, ctx->saved_data["type"].toScalarType());
    Tensor sums = at::zeros({blocks, 2, d}, hat.options());
    kernels::Norm norm{w.data_ptr<float>(), b.data_ptr<float>(), d, 1e-5f};
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    typed(dy, [&](auto *dyp) {
      over_rows(n, [&](int64_t from, int64_t to, int64_t k) {
        float *s = sums.data_ptr<float>() + k * 2 * d;
        kernels::add_norm_back(g.data_ptr<float>(), hat.data_ptr<float>(), rstd.data_ptr<float>(), norm, drop,
                               dx.data_ptr<float>(), dyp, s, s + d, from, to);
      });
    });
    Tensor both = column_sums(sums.view({blocks, 2 * d})).view({2, d});
    return {dx, dy, both[0], both[1], {}, {}, {}};
  }
};

// ---- embedding ------------------------------------------------------------------------------------------------------------

struct Embed : Function<Embed> {
  static Tensor forward(AutogradContext *ctx, const Tensor &table, const Tensor &ids, const Tensor &places, double scale,
                        double p, uint64_t seed, bool save) {
    int64_t n = ids.numel(), t = ids.size(1), d = table.size(1);
    Tensor out = at::empty({ids.size(0), t, d}, table.options());
    check_ids(ids, table.size(0));
    Drop drop(seed, p);
    over_rows(n, [&](int64_t from, int64_t to, int64_t) {
      kernels::embed_rows(table.data_ptr<float>(), ids.data_ptr<int64_t>(), places.data_ptr<float>(), float(scale), t, d,
                          drop, out.data_ptr<float>(), from, to);
    });
    if (save) {
      ctx->save_for_backward({ids});
      ctx->saved_data["rows"] = table.size(0);
      ctx->saved_data["scale"] = scale;
      ctx->saved_data["p"] = p;
      ctx->saved_data["seed"] = int64_t(seed);
    }
    return out;
  }

  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    Tensor ids = ctx->get_saved_variables()[0], g = grads[0].contiguous();
    int64_t d = g.size(-1);
    Tensor grad = at::zeros({ctx->saved_data["rows"].toInt(), d}, g.options());
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    float scale = float(ctx->saved_data["scale"].toDouble());
    over_columns(d, [&](int64_t from, int64_t to) {
      kernels::embed_back(g.data_ptr<float>(), ids.data_ptr<int64_t>(), scale, ids.numel(), d, drop,
                          grad.data_ptr<float>(), from, to);
    });
    return {grad, {}, {}, {}, {}, {}, {}};
  }
};

// ---- vocabulary layer and cross-entropy -------------------------------------------------------------------------------------

// Bytes of logits alive at once: many rows make fast products, and a block of 32 MB or more would be mapped and faulted in anew each step.
constexpr int64_t kLogits = 31 << 20;

// The gradients are made in the forward pass, chunk by chunk, and only scaled in the backward one (Hsu et al. 2024, "Liger kernel", do
// the same on GPUs).
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
          kernels::softmax_rows(p, want, losses.data() + at, from, to, v, weight, save, scratch.data());
        });
        if (save) over_columns(v, [&](int64_t from, int64_t to) {
          kernels::column_sums(p, db.data_ptr<float>(), count, v, from, to);
        });
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

// ---- dropout -------------------------------------------------------------------------------------------------------------------

Tensor dropped(const Tensor &x, Drop drop) {
  Tensor in = x.contiguous(), out = at::empty_like(in);
  int64_t d = in.dim() ? in.size(-1) : 1;
  if (in.numel() == 0) return out;
  typed(in, [&](auto *p) {
    using X = std::remove_pointer_t<decltype(p)>;
    over_rows(in.numel() / d, [&](int64_t from, int64_t to, int64_t) { kernels::drop_rows(p, as<X>(out), from, to, d, drop); });
  });
  return out;
}

struct Dropout : Function<Dropout> {
  static Tensor forward(AutogradContext *ctx, const Tensor &x, double p, uint64_t seed) {
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = int64_t(seed);
    return dropped(x, Drop(seed, p));
  }
  static Tensors backward(AutogradContext *ctx, Tensors grads) {
    Drop drop(uint64_t(ctx->saved_data["seed"].toInt()), ctx->saved_data["p"].toDouble());
    return {dropped(grads[0], drop), {}, {}};
  }
};

} // namespace

char *shim_product(handle *out, handle x, handle w, int by_onednn) {
  return guard([&] {
    bool onednn = by_onednn && onednn::makes(at_(x).scalar_type());
    *out = new Tensor(onednn ? onednn::linear(at_(x), at_(w), {}, false) : at::matmul(at_(x), at_(w).t()));
  });
}

int shim_cpu_makes_bf16(void) {
  static const bool it = [] {
    torch::NoGradGuard no_grad;
    Tensor x = at::ones({32, 64}, at::kBFloat16), w = at::ones({48, 64}, at::kBFloat16), b = at::ones({48}, at::kBFloat16);
    try {
      product_back(product(x, w, b), w);
      at::mm(product(x, w, {}).t(), x);
    } catch (const std::exception &) {
      return false;
    }
    return true;
  }();
  return it;
}

char *shim_linear(handle *out, handle x, handle w, handle b, int relu, double p) {
  return guard([&] {
    c10::optional<Tensor> bias = maybe(b);
    Tensor y;
    if (at_(x).is_cpu()) {
      TORCH_CHECK(at_(x).size(-1) == at_(w).size(1), "x has ", at_(x).size(-1), " features, the weights want ", at_(w).size(1));
      y = Linear::apply(at_(x), at_(w), bias, autocast::enabled(at::kCPU), relu != 0, p, draw(p),
                        recorded({at_(x), at_(w), bias.value_or(Tensor())}));
    } else {
      y = at::linear(at_(x), at_(w), bias);
      if (relu) y = at::dropout(at::relu(y), p, p > 0);
    }
    *out = new Tensor(y);
  });
}

char *shim_attention(handle *out, handle q, handle kv, int64_t heads, int causal, double p) {
  return guard([&] {
    c10::optional<Tensor> other = maybe(kv);
    const Tensor &query = at_(q);
    int64_t d = query.size(2);
    if (other)
      TORCH_CHECK(other->size(0) == query.size(0) && other->size(2) == 2 * d && other->scalar_type() == query.scalar_type(),
                  "keys and values do not fit the queries");
    TORCH_CHECK(d % (heads * (other ? 1 : 3)) == 0, d, " features cannot be divided among ", heads, " heads");
    if (query.is_cpu()) {
      *out = new Tensor(Attention::apply(query.contiguous(), other ? c10::optional<Tensor>(other->contiguous()) : other, heads,
                                         causal != 0, p, draw(p), recorded({query, other.value_or(Tensor())})));
      return;
    }
    auto split = [&](const Tensor &t) { return t.unflatten(2, {heads, -1}).transpose(1, 2); };
    auto parts = other ? other->chunk(2, 2) : query.chunk(3, 2);
    Tensor y = at::scaled_dot_product_attention(split(other ? query : parts[0]), split(parts[parts.size() - 2]),
                                                split(parts.back()), {}, p, causal != 0);
    *out = new Tensor(y.transpose(1, 2).flatten(2));
  });
}

char *shim_add_norm(handle *out, handle x, handle y, handle w, handle b, double p) {
  return guard([&] {
    TORCH_CHECK(at_(x).size(-1) == at_(w).size(0) && at_(w).sizes() == at_(b).sizes(), "x has ", at_(x).size(-1), " features, w and b have ",
                at_(w).size(0), " and ", at_(b).size(0));
    TORCH_CHECK(at_(x).sizes() == at_(y).sizes(), "x and y differ in shape");
    if (at_(x).is_cpu()) {
      *out = new Tensor(AddNorm::apply(at_(x).contiguous(), at_(y).contiguous(), at_(w).contiguous(), at_(b).contiguous(), p, draw(p),
                                       recorded({at_(x), at_(y), at_(w), at_(b)})));
      return;
    }
    Tensor sum = at_(x) + at::dropout(at_(y), p, p > 0);
    *out = new Tensor(at::layer_norm(sum, at_(w).sizes(), at_(w), at_(b), 1e-5));
  });
}

char *shim_embed(handle *out, handle table, handle ids, handle places, double scale, double p) {
  return guard([&] {
    TORCH_CHECK(at_(places).numel() == at_(ids).size(1) * at_(table).size(1), "places are ", at_(places).sizes());
    if (at_(table).is_cpu()) {
      *out = new Tensor(Embed::apply(at_(table).contiguous(), at_(ids).contiguous(), at_(places).contiguous(), scale, p, draw(p), recorded({at_(table)})));
      return;
    }
    Tensor x = at::embedding(at_(table), at_(ids)) * scale + at_(places);
    *out = new Tensor(at::dropout(x, p, p > 0));
  });
}

char *shim_vocab_loss(handle *out, handle x, handle w, handle b, handle target, int mean) {
  return guard([&] {
    TORCH_CHECK(at_(x).dim() == 2 && at_(x).size(1) == at_(w).size(1), "x has ", at_(x).size(-1), " features, the weights want ", at_(w).size(1));
    TORCH_CHECK(at_(w).size(0) == at_(b).size(0), at_(w).size(0), " rows of weights, a bias of ", at_(b).size(0));
    TORCH_CHECK(at_(x).size(0) == at_(target).size(0) && at_(x).size(0) > 0, "rows and targets differ in number, or there are none");
    if (at_(x).is_cpu()) {
      *out = new Tensor(VocabLoss::apply(at_(x), at_(w), at_(b), at_(target), autocast::enabled(at::kCPU), mean != 0,
                                         recorded({at_(x), at_(w), at_(b)})));
      return;
    }
    Tensor logits = at::linear(at_(x), at_(w), at_(b)).to(at::kFloat);
    *out = new Tensor(at::cross_entropy_loss(logits, at_(target), {}, mean ? at::Reduction::Mean : at::Reduction::Sum));
  });
}

char *shim_dropout(handle *out, handle x, double p) {
  return guard([&] {
    *out = new Tensor(at_(x).is_cpu() ? Dropout::apply(at_(x), p, draw(p)) : at::dropout(at_(x), p, true));
  });
}
