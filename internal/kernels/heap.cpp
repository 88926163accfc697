// Keeps blocks of memory from step to step. Each step frees and allocates the same big blocks.
// glibc would return their pages to the system and fault them in again, which takes about a tenth
// of a step.
#include "kernels.h"
#include "switches.h"

#include <malloc.h>

static kernels::Switch keeping("heap", "glibc's own thresholds for giving memory back");

void kernels_keep_heap(void) {
  if (!keeping) return;
  mallopt(M_ARENA_MAX, 1); // only one thread of torch allocates
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void kernels_trim(void) { malloc_trim(0); }
