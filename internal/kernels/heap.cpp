// Blocks of memory kept from step to step. A step frees and asks for the same big blocks again and
// again: glibc would give their pages back and have them faulted in anew, about a tenth of a step.
#include "kernels.h"

#include <malloc.h>

namespace {

// One arena, because torch has one thread that allocates.
const bool kept = [] {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  return true;
}();

} // namespace

void kernels_trim(void) { malloc_trim(0); }
