// Switches for the kernels. Every kernel has a switch. If the switch is off, libtorch's operations
// are used instead. For most kernels, they are also used on devices other than the CPU.
#pragma once
#include <vector>

namespace kernels {

struct Switch {
  const char *name, *about;
  bool on = true;
  Switch(const char *name, const char *about) : name(name), about(about) { all().push_back(this); }
  Switch(const Switch &) = delete;
  explicit operator bool() const { return on; }
  static std::vector<Switch *> &all() {
    static std::vector<Switch *> switches;
    return switches;
  }
};

} // namespace kernels
