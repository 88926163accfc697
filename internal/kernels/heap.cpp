// Blocks of memory kept from step to step. A step frees and asks for the same big blocks again and
// again: glibc would give their pages back and have them faulted in anew, about a tenth of a step.
#include "kernels.h"
#include "switches.h"

#include <malloc.h>

static kernels::Switch keeping("heap", "glibc's own thresholds for giving memory back");

void kernels_keep_heap(void) {
  if (!keeping) return;
  mallopt(M_ARENA_MAX, 1); // torch has one thread that allocates
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void kernels_trim(void) { malloc_trim(0); }
