// Functions with which Go reads and sets the switches.
#include "switches.h"
#include "kernels.h"

using kernels::Switch;

int kernels_count(void) { return static_cast<int>(Switch::all().size()); }
const char *kernels_name(int i) { return Switch::all()[i]->name; }
const char *kernels_about(int i) { return Switch::all()[i]->about; }

int kernels_turn(int i, int on) {
  bool was = Switch::all()[i]->on;
  Switch::all()[i]->on = on != 0;
  return was;
}
