// What every C++ file here does with the handles and messages of a C surface.
#pragma once
#include "kernels.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstring>
#include <exception>

inline at::Tensor &at_(handle h) { return *static_cast<at::Tensor *>(h); }

inline c10::optional<at::Tensor> maybe(handle h) { return h ? c10::optional<at::Tensor>(at_(h)) : c10::nullopt; }

// Calls f and returns what it threw as a message, else NULL.
template <class F> char *guard(F f) {
  try {
    f();
    return nullptr;
  } catch (const std::exception &e) {
    return strdup(e.what());
  } catch (...) {
    return strdup("an exception that says nothing");
  }
}
