// Helpers for handles and error messages of a C interface.
#pragma once
#include "kernels.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstring>
#include <exception>

inline at::Tensor &at_(handle h) { return *static_cast<at::Tensor *>(h); }

inline c10::optional<at::Tensor> maybe(handle h) { return h ? c10::optional<at::Tensor>(at_(h)) : c10::nullopt; }

// Calls f and returns the message of its exception, or NULL if it throws none.
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
