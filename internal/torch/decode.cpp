// See decode.h. A step of a search has few rows, so that what counts is how often the weights and the cache are read.
#include "decode.h"
#include "handles.h"
#include "onednn.h"
#include "parallel.h"
#include "vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using torch::Tensor;
using vectors::fast_exp;

namespace {

constexpr int64_t kRows = 256; // of logits that are alive at once: they stay in the cache until they are read
constexpr int64_t kLanes = 32;

// Sums may be taken in any order within a row, which is the same for a row whatever thread or batch it comes in.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "no-signed-zeros", "associative-math") // see BY_CPU
#endif

// Attention of one position with all heads to the positions in some slots; w is room for heads * length weights.
INLINE void attend_row_(const float *__restrict q, const float *__restrict kv, int64_t stride, const int32_t *slots, int64_t start,
                        int64_t length, int64_t heads, int64_t width, float scale, float *__restrict w, float *__restrict out) {
  for (int64_t j = 0; j < length; j++) {
    const float *k = kv + (slots ? slots[start + j] : start + j) * stride;
    for (int64_t h = 0; h < heads; h++) {
      float sum = 0;
      for (int64_t e = 0; e < width; e++) sum += q[h * width + e] * k[h * width + e];
      w[h * length + j] = sum * scale;
    }
  }
  for (int64_t h = 0; h < heads; h++) {
    float *p = w + h * length, top = p[0], sum = 0;
    for (int64_t j = 1; j < length; j++) top = p[j] > top ? p[j] : top;
    for (int64_t j = 0; j < length; j++) sum += p[j] = fast_exp(p[j] - top);
    for (int64_t j = 0; j < length; j++) p[j] /= sum;
  }
  for (int64_t e = 0; e < heads * width; e++) out[e] = 0;
  for (int64_t j = 0; j < length; j++) {
    const float *v = kv + (slots ? slots[start + j] : start + j) * stride + heads * width;
    for (int64_t h = 0; h < heads; h++)
      for (int64_t e = 0; e < width; e++) out[h * width + e] += w[h * length + j] * v[h * width + e];
  }
}

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
  for (int64_t i = 0; i < n; i += 1024) { // short float sums, then doubles
    float sum = 0;
    int64_t stop = std::min(n, i + 1024);
    for (int64_t j = i; j < stop; j++) sum += fast_exp(x[j] - top);
    total += sum;
  }
  return total;
}

void attend_row(const float *q, const float *kv, int64_t stride, const int32_t *slots, int64_t start, int64_t length, int64_t heads,
                int64_t width, float scale, float *w, float *out) {
  BY_CPU(attend_row_(q, kv, stride, slots, start, length, heads, width, scale, w, out))
}
float max_of(const float *x, int64_t n) { BY_CPU(max_of_(x, n)) }
double sum_exp(const float *x, int64_t n, float top) { BY_CPU(sum_exp_(x, n, top)) }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

// The k largest of x[first, n), largest first and the earlier of equals first.
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
  for (; i < n; i += 4 * kLanes) { // most blocks hold nothing larger
    int64_t stop = std::min(n, i + 4 * kLanes);
    if (!(max_of(x + i, stop - i) > value[k - 1])) continue;
    for (int64_t j = i; j < stop; j++)
      if (x[j] > value[k - 1]) insert(j);
  }
}

// What a search wants to know of a row of logits: row is k values and k indices, then the value at want.
void read_row(const float *x, int64_t n, int64_t first, int64_t k, int64_t want, bool open, bool normalise, float *row) {
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

bool on_cpu(const Tensor &t) { return t.device().is_cpu(); }

// x w^T + b in the weights' element type, returned in float.
Tensor product(const Tensor &x, const Tensor &w, const c10::optional<Tensor> &bias, bool packed, bool relu) {
  if (!packed) {
    Tensor y = at::linear(x.to(w.scalar_type()), w, bias).to(at::kFloat);
    return relu ? y.relu_() : y;
  }
  auto type = bias.has_value() ? bias->scalar_type() : at::kFloat;
  return onednn::linear(x.to(type), w, bias, relu).to(at::kFloat);
}

// The same as attend_row by plain operations, for tensors that are not in the CPU's memory.
Tensor attend_plain(const Tensor &q, const Tensor &kv, int64_t heads, const int32_t *slots, const int32_t *start, const int32_t *length,
                    int64_t n) {
  if (n == 0) return q;
  int64_t d = q.size(1), width = d / heads, longest = *std::max_element(length, length + n);
  Tensor index = at::zeros({n, longest}, at::kLong), hidden = at::zeros({n, 1, 1, longest}, at::kFloat);
  int64_t *at = index.data_ptr<int64_t>();
  float *hide = hidden.data_ptr<float>();
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < longest; j++)
      if (j < length[i])
        at[i * longest + j] = slots ? slots[start[i] + j] : start[i] + j;
      else
        hide[i * longest + j] = -std::numeric_limits<float>::infinity();
  Tensor rows = kv.index_select(0, index.flatten().to(kv.device())).view({n, longest, 2, heads, width}).permute({2, 0, 3, 1, 4});
  Tensor scores = at::matmul(q.reshape({n, heads, 1, width}), rows[0].transpose(2, 3)) / std::sqrt(double(width));
  return at::matmul((scores + hidden.to(kv.device())).softmax(-1), rows[1]).reshape({n, d});
}

} // namespace

// A float matrix beside like, its elements not set.
char *decode_empty(handle *out, handle like, int64_t rows, int64_t columns) {
  return guard([&] { *out = new Tensor(at::empty({rows, columns}, at_(like).options().dtype(at::kFloat))); });
}

// w [out, in] laid out as oneDNN wants it for products of about so many rows; NULL where there is no oneDNN for it, as for bfloat16 on a
// CPU without AVX-512.
char *decode_pack(handle *out, handle w, int64_t rows) {
  return guard([&] {
    *out = nullptr;
    static const auto op = onednn::find("mkldnn::_reorder_linear_weight");
    if (!op.has_value() || !on_cpu(at_(w)) || !onednn::makes(at_(w).scalar_type())) return;
    torch::jit::Stack stack{at_(w).contiguous(), rows};
    op->callBoxed(stack);
    *out = new Tensor(stack[0].toTensor());
  });
}

char *decode_product(handle *out, handle x, handle w, handle bias, int packed, int relu) {
  return guard([&] { *out = new Tensor(product(at_(x), at_(w), maybe(bias), packed != 0, relu != 0)); });
}

// Position i of q [n, d] attends to rows start[i] .. start[i]+length[i] of slots, which name rows of kv [s, 2d], keys then values;
// without slots, to those rows of kv.
char *decode_attend(handle *out, handle q, handle kv, int64_t heads, const int32_t *slots, int64_t nslots, const int32_t *start,
                    const int32_t *length, int64_t n, int plain) {
  return guard([&] {
    Tensor x = at_(q).contiguous();
    const Tensor &cache = at_(kv);
    TORCH_CHECK(x.size(0) == n && cache.is_contiguous() && cache.size(1) == 2 * x.size(1) && x.size(1) % heads == 0, "shapes differ");
    int64_t most = slots ? nslots : cache.size(0);
    for (int64_t i = 0; i < n; i++)
      TORCH_CHECK(start[i] >= 0 && length[i] > 0 && start[i] + length[i] <= most, "a span of another cache");
    for (int64_t i = 0; slots && i < nslots; i++) TORCH_CHECK(slots[i] >= 0 && slots[i] < cache.size(0), "a slot of another cache");
    if (plain || !on_cpu(cache)) {
      *out = new Tensor(attend_plain(x, cache, heads, slots, start, length, n));
      return;
    }
    int64_t d = x.size(1);
    Tensor y = at::empty({n, d}, x.options());
    const float *from = x.data_ptr<float>(), *store = cache.data_ptr<float>();
    float *to = y.data_ptr<float>();
    float scale = 1 / std::sqrt(static_cast<float>(d / heads));
    threads::parallel_for(0, n, 8, [&](int64_t a, int64_t b) {
      std::vector<float> w(heads * *std::max_element(length + a, length + b));
      for (int64_t i = a; i < b; i++)
        attend_row(from + i * d, store, 2 * d, slots, start[i], length[i], heads, d / heads, scale, w.data(), to + i * d);
    });
    *out = new Tensor(y);
  });
}

// What a search wants to know of the logits of x [n, d], [n, 2k+1]: of the first open rows the k largest from word first on and their
// words, and of all the one at want. normalise makes them log p.
char *decode_likeliest(handle *out, handle x, handle w, handle bias, int packed, const int64_t *want, int64_t n, int64_t open,
                       int64_t first, int64_t k, int normalise, int plain) {
  return guard([&] {
    const Tensor &states = at_(x);
    TORCH_CHECK(states.size(0) == n && k > 0 && (open <= 0 || first + k <= at_(bias).size(0)), "fewer words than are asked for");
    for (int64_t i = 0; i < n; i++) TORCH_CHECK(want[i] >= 0 && want[i] < at_(bias).size(0), "no word ", want[i]);
    std::vector<Tensor> parts;
    for (int64_t from = 0; from < n; from += kRows) {
      int64_t rows = std::min(kRows, n - from);
      Tensor logits = product(states.narrow(0, from, rows), at_(w), maybe(bias), packed != 0, false).contiguous();
      int64_t words = logits.size(1), free = std::min(rows, std::max<int64_t>(0, open - from));
      if (plain || !on_cpu(logits)) {
        if (normalise) logits = logits.log_softmax(1);
        auto [top, index] = logits.narrow(1, first, words - first).topk(k);
        Tensor at = at::tensor(at::ArrayRef<int64_t>(want + from, rows)).to(logits.device());
        parts.push_back(at::cat({top, (index + first).to(at::kFloat), logits.gather(1, at.unsqueeze(1))}, 1));
        continue;
      }
      Tensor part = at::zeros({rows, 2 * k + 1}, logits.options());
      const float *in = logits.data_ptr<float>();
      float *to = part.data_ptr<float>();
      threads::parallel_for(0, rows, 4, [&](int64_t a, int64_t b) {
        for (int64_t i = a; i < b; i++)
          read_row(in + i * words, words, first, k, want[from + i], i < free, normalise != 0, to + i * (2 * k + 1));
      });
      parts.push_back(part);
    }
    *out = new Tensor(parts.size() == 1 ? parts[0] : at::cat(parts, 0));
  });
}
