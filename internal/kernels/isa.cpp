// See isa.h.
#include "isa.h"
#include "kernels.h"

#include <ATen/Version.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace isa {

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  std::string s = value ? value : "";
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::toupper(c); });
  return s;
}

bool begins(const std::string &s, const char *with) { return s.rfind(with, 0) == 0; }

// Returns the level of an instruction set by its name. If the name is unknown, it returns the level
// "most", because libraries ignore unknown names.
Level named(const std::string &s, Level most) {
  if (begins(s, "AVX512") || begins(s, "AVX10")) return avx512;
  if (begins(s, "AVX2")) return avx2;
  if (begins(s, "AVX") || begins(s, "SSE")) return baseline;
  return most;
}

// Returns oneDNN's limit. The newer variable has priority, as in oneDNN.
std::string onednn_cap() {
  std::string s = variable("ONEDNN_MAX_CPU_ISA");
  return s.empty() ? variable("DNNL_MAX_CPU_ISA") : s;
}

Level cpu() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  __builtin_cpu_init();
  bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512;
  if (fma) return avx2;
#endif
  return baseline;
}

Level find() {
  std::string torch = at::get_cpu_capability(); // "AVX512" or "AVX2"; any other text means neither
  return std::min(
      {cpu(), named(torch, baseline), named(onednn_cap(), avx512), named(variable("MKL_ENABLE_INSTRUCTIONS"), avx512)});
}

} // namespace

Level level() {
  static const Level it = find();
  return it;
}

bool bf16() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  static const bool it = [] {
    std::string cap = onednn_cap();
    bool capped = begins(cap, "AVX512_CORE") && cap.find("BF16") == cap.npos && cap.find("FP16") == cap.npos &&
                  cap.find("AMX") == cap.npos;
    return level() == avx512 && __builtin_cpu_supports("avx512bf16") && !capped;
  }();
  return it;
#else
  return false;
#endif
}

} // namespace isa

const char *kernels_cpu(void) {
  switch (isa::level()) {
  case isa::avx512: return "AVX512";
  case isa::avx2: return "AVX2";
  default: return "SSE2";
  }
}

int kernels_bf16(void) { return isa::bf16(); }
