#ifndef BLOOMLINE_CORE_RUN_ON_THREADS_H_
#define BLOOMLINE_CORE_RUN_ON_THREADS_H_

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace bloomline::core {

// f(0) .. f(n - 1), n >= 1, each on a thread of its own as far as threads are to be had; returns
// when all have returned. f must not throw.
template <typename F>
void RunOnThreads(size_t n, F f) {
  std::vector<std::thread> threads;
  size_t started = 1;  // the first is this thread's
  try {
    for (; started < n; ++started) threads.emplace_back(f, started);
  } catch (const std::exception&) {  // system_error, bad_alloc
  }
  f(0);
  for (size_t i = started; i < n; ++i) f(i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_RUN_ON_THREADS_H_
