// Keeps freed memory from step to step. Each step frees big blocks and allocates the same blocks
// again. With glibc's default settings, their pages would go back to the system and be faulted in
// again, which takes about a tenth of a step.
#include "kernels.h"

#include <malloc.h>

void kernels_keep_heap(void) {
  mallopt(M_ARENA_MAX, 1); // one arena is enough, because only one thread of torch allocates
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void kernels_trim(void) { malloc_trim(0); }
