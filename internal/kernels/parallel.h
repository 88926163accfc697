// A parallel_for that runs on libtorch's own threads. ATen's parallel_for is a template and is
// compiled with the file that includes it. Without -fopenmp it runs on one thread. With -fopenmp
// the program would load a second OpenMP library, which has its own threads. This parallel_for
// calls the OpenMP library that libtorch has loaded.
#pragma once
#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

namespace threads {

// Functions of the OpenMP library. GCC's "omp parallel" calls the first one; 0 threads means the
// number that libtorch has set. The other two return the index of the thread and the number of
// threads.
struct OpenMP {
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
  int (*thread)();
  int (*count)();
  OpenMP() {
    *reinterpret_cast<void **>(&parallel) = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    *reinterpret_cast<void **>(&thread) = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
    *reinterpret_cast<void **>(&count) = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
  }
  bool found() const { return parallel && thread && count; }
};

inline const OpenMP &openmp() {
  static const OpenMP it;
  return it;
}

// Calls f(a, b) for ranges that together are [begin, end). Each range runs on its own thread. There
// are at most (end - begin) / grain ranges, rounded up.
template <class F> void parallel_for(int64_t begin, int64_t end, int64_t grain, const F &f) {
  if (begin >= end) return;
  at::internal::lazy_init_num_threads();
  if (end - begin <= grain || at::get_num_threads() == 1 || at::in_parallel_region() || !openmp().found())
    return f(begin, end);
  struct Job {
    int64_t begin, end, grain;
    const F &f;
    std::mutex lock;
    std::exception_ptr error;
  } job{begin, end, grain, f, {}, {}};
  openmp().parallel(
      [](void *arg) {
        Job &j = *static_cast<Job *>(arg);
        int64_t n = j.end - j.begin, most = (n + j.grain - 1) / j.grain;
        int64_t share = std::min<int64_t>(openmp().count(), most), each = (n + share - 1) / share;
        int64_t from = j.begin + openmp().thread() * each;
        if (from >= j.end) return;
        try {
          j.f(from, std::min(j.end, from + each));
        } catch (...) {
          std::lock_guard<std::mutex> hold(j.lock);
          j.error = std::current_exception();
        }
      },
      &job, 0, 0);
  if (job.error) std::rethrow_exception(job.error);
}

} // namespace threads
