// Implements cuda.h. libtorch's API for TF32 changed between versions 2.1 and 2.11, so the code
// depends on the version.
#include "cuda.h"
#include "../kernels/autocast.h"
#include "../kernels/handles.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <mutex>
#include <string>
#include <vector>

using torch::Tensor;

namespace {

at::Device place(int index) {
  return index < 0 ? at::Device(at::kCPU) : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index));
}

// Driver has functions of the NVIDIA driver's library, whose C interface is stable. These functions
// count and name devices without CUDA's headers and without loading libtorch_cuda, which is
// gigabytes large. Like libtorch, they count only the devices that CUDA_VISIBLE_DEVICES allows.
struct Driver {
  int (*device_get)(int *, int) = nullptr;
  int (*name)(char *, int, int) = nullptr;
  int (*memory)(size_t *, int) = nullptr;
  int (*attribute)(int *, int, int) = nullptr;
  int devices = 0, version = 0;
  std::string why; // why no device can be used; empty if there is a device
};

constexpr int kComputeMajor = 75, kComputeMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*

Driver find_driver() {
  Driver d;
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!lib) {
    d.why = std::string("no NVIDIA driver is installed (") + dlerror() + ")";
    return d;
  }
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(lib, "cuInit"));
  auto version = reinterpret_cast<int (*)(int *)>(dlsym(lib, "cuDriverGetVersion"));
  auto count = reinterpret_cast<int (*)(int *)>(dlsym(lib, "cuDeviceGetCount"));
  auto explain = reinterpret_cast<int (*)(int, const char **)>(dlsym(lib, "cuGetErrorString"));
  d.device_get = reinterpret_cast<int (*)(int *, int)>(dlsym(lib, "cuDeviceGet"));
  d.name = reinterpret_cast<int (*)(char *, int, int)>(dlsym(lib, "cuDeviceGetName"));
  d.memory = reinterpret_cast<int (*)(size_t *, int)>(dlsym(lib, "cuDeviceTotalMem_v2"));
  d.attribute = reinterpret_cast<int (*)(int *, int, int)>(dlsym(lib, "cuDeviceGetAttribute"));
  if (!init || !version || !count || !d.device_get || !d.name || !d.memory || !d.attribute) {
    d.why = "libcuda.so.1 is no driver of NVIDIA's: it lacks functions that every one has";
    return d;
  }
  version(&d.version);
  int code = init(0);
  if (code == 0) code = count(&d.devices);
  if (code != 0) {
    const char *text = nullptr;
    if (explain) explain(code, &text);
    d.devices = 0;
    d.why = "the NVIDIA driver finds no device (" + std::string(text ? text : "error " + std::to_string(code)) + ")";
  } else if (d.devices == 0) {
    d.why = "the NVIDIA driver finds no device";
  }
  return d;
}

const Driver &driver() {
  static const Driver d = find_driver();
  return d;
}

// kMostPinned is the size in bytes of the largest tensor that to_device copies from pinned memory.
// Such a copy runs while the device computes; a copy from pageable memory would wait for the queued
// work. libtorch keeps pinned memory for reuse and knows when a copy from it has ended. Larger
// tensors are weights, which are loaded once, so their memory must not stay pinned.
constexpr size_t kMostPinned = 8 << 20;

Tensor to_device(const Tensor &host, int index) {
  if (index < 0) return host.clone();
  if (host.nbytes() == 0 || host.nbytes() > kMostPinned) return host.to(place(index));
  Tensor pinned = at::empty(host.sizes(), host.options().pinned_memory(true));
  pinned.copy_(host);
  return pinned.to(place(index), /*non_blocking=*/true);
}

// Makes fp32 products use all 23 bits of the mantissa instead of the 10 bits of TF32. cuBLAS does
// so by default, but cuDNN does not.
void whole_fp32() {
#if TORCH_AT_LEAST(2, 9)
  for (auto op : {at::Float32Op::CONV, at::Float32Op::RNN, at::Float32Op::MATMUL})
    at::globalContext().setFloat32Precision(at::Float32Backend::CUDA, op, at::Float32Precision::IEEE);
#else
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
#endif
}

// Turns off cuDNN's attention, which newer versions of libtorch prefer. cuDNN makes a plan for
// every new shape, and every new sentence length is a new shape. A plan takes 40 ms on an H100.
// Flash attention needs no plans.
void attention_without_plans() {
#if TORCH_AT_LEAST(2, 5)
  at::globalContext().setSDPUseCuDNN(false);
#endif
}

Tensor rng_state(const at::Generator &generator) {
  at::Generator gen = generator;
  std::lock_guard<std::mutex> lock(gen.mutex());
  return gen.get_state();
}

} // namespace

// Returns the number of devices and the version of CUDA that the driver supports, 1000 * major + 10
// * minor. If there is no device, the returned message says why.
char *shim_cuda_driver(int *devices, int *version) {
  *devices = driver().devices;
  *version = driver().version;
  return driver().why.empty() ? nullptr : strdup(driver().why.c_str());
}

char *shim_cuda_device(int index, char *name, int length, int64_t *memory, int *major, int *minor) {
  const Driver &d = driver();
  int device = 0;
  size_t bytes = 0;
  if (index < 0 || index >= d.devices || d.device_get(&device, index) || d.name(name, length, device) ||
      d.memory(&bytes, device) || d.attribute(major, kComputeMajor, device) ||
      d.attribute(minor, kComputeMinor, device))
    return strdup("the NVIDIA driver says nothing of this device");
  *memory = static_cast<int64_t>(bytes);
  return nullptr;
}

// Makes a CUDA device the device of this thread and computes something on it. libtorch_cuda must be
// opened before anything asks libtorch whether it has CUDA, because libtorch remembers the answer.
char *shim_cuda_use(int index) {
  return guard([&] {
    whole_fp32();
    attention_without_plans();
    Tensor three = at::ones({2}, at::TensorOptions().device(place(index))).sum() + 1;
    if (three.item<float>() != 3)
      throw std::runtime_error("it computes 1 + 1 + 1 = " + std::to_string(three.item<float>()));
    c10::impl::getDeviceGuardImpl(at::kCUDA)->setDevice(place(index));
  });
}

char *shim_to_device(handle *out, handle host, int index) {
  return guard([&] { *out = new Tensor(to_device(at_(host), index)); });
}

char *shim_from_blob_on(handle *out, const void *data, const int64_t *dims, int ndims, int kind, int index) {
  return guard([&] {
    auto options = at::TensorOptions().dtype(static_cast<at::ScalarType>(kind));
    Tensor view = torch::from_blob(const_cast<void *>(data), at::IntArrayRef(dims, ndims), options);
    *out = new Tensor(to_device(view, index));
  });
}

char *shim_rng_get_of(handle *out, int index) {
  return guard([&] { *out = new Tensor(rng_state(at::globalContext().defaultGenerator(place(index)))); });
}

char *shim_rng_set_of(handle state, int index) {
  return guard([&] {
    at::Generator gen = at::globalContext().defaultGenerator(place(index));
    std::lock_guard<std::mutex> lock(gen.mutex());
    gen.set_state(at_(state));
  });
}

// Turns bfloat16 autocast on or off for this thread, either on the CPU or on CUDA, depending on
// index. Turning autocast off clears its cache of converted weights. Returns whether it was on.
int shim_autocast_on(int index, int on) {
  bool was = autocast::enabled(place(index).type());
  autocast::enable(place(index).type(), on != 0);
  at::autocast::set_autocast_cache_enabled(true);
  if (!on) at::autocast::clear_cache();
  return was;
}

// Does the same as kernels_adam, with libtorch's fused kernel. Everything stays on the device:
// *norm is a scalar tensor, and if it is not finite, the kernel changes nothing. The kernel divides
// gradients by grad_scale, so grad_scale = max(1, (norm + 1e-6) / max_norm) clips them to max_norm.
char *shim_adam_fused(handle *norm, handle *params, handle *m, handle *v, int n, double lr, double beta1,
                      double beta2, double eps, int64_t step, double max_norm) {
  return guard([&] {
    torch::NoGradGuard no_grad;
    std::vector<Tensor> ps, gs, ms, vs;
    for (int i = 0; i < n; i++) {
      const Tensor &g = at_(params[i]).grad();
      if (!g.defined()) continue;
      ps.push_back(at_(params[i]));
      gs.push_back(g.contiguous());
      ms.push_back(at_(m[i]));
      vs.push_back(at_(v[i]));
    }
    if (gs.empty()) {
      *norm = new Tensor(at::zeros({}));
      return;
    }
    Tensor total = at::stack(at::_foreach_norm(gs, 2)).norm();
    Tensor found_inf = total.isfinite().logical_not().to(at::kFloat);
    c10::optional<Tensor> divisor;
    if (max_norm > 0)
      divisor = ((total + 1e-6) / max_norm).clamp_min(1);
    std::vector<Tensor> steps(ps.size(), at::full({}, static_cast<double>(step), total.options()));
    at::_fused_adam_(ps, gs, ms, vs, {}, steps, lr, beta1, beta2, /*weight_decay=*/0, eps, /*amsgrad=*/false,
                     /*maximize=*/false, divisor, found_inf);
    *norm = new Tensor(total);
  });
}
