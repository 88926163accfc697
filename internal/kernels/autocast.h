// Functions for autocast. They are needed because libtorch's functions changed between versions 2.1
// and 2.11, and newer versions print warnings about the old ones.
#pragma once
#include <ATen/autocast_mode.h>
#include <torch/version.h>

#define TORCH_AT_LEAST(major, minor)                                                                                   \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace autocast {

inline bool enabled(at::DeviceType type) {
#if TORCH_AT_LEAST(2, 4)
  return at::autocast::is_autocast_enabled(type);
#else
  return type == at::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
#endif
}

// Turns bfloat16 autocast on or off for this thread.
inline void enable(at::DeviceType type, bool on) {
#if TORCH_AT_LEAST(2, 4)
  at::autocast::set_autocast_dtype(type, at::kBFloat16);
  at::autocast::set_autocast_enabled(type, on);
#else
  if (type == at::kCPU) {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  } else {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  }
#endif
}

} // namespace autocast
