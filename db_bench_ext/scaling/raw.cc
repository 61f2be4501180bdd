#include <new>
#include <vector>

#include "db_bench_ext/scaling/scaling.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/support/aligned_memory.h"

namespace bloomline::bench {
namespace {

using kernels::kBlockBytes;

constexpr uint64_t kPageBytes = 4096;

struct RandomLines {
  std::vector<uint64_t> hashes = std::vector<uint64_t>(kBatchKeys);
  uint64_t sum = 0;
};

// access(char* line) on the lines of n hashes; kWrite as __builtin_prefetch takes it.
template <int kWrite, typename Access>
void VisitLines(char* data, uint64_t num_lines, const uint64_t* hashes, size_t n, Access access) {
  const auto line = [&](size_t i) {
    return data + kernels::BlockIndex(hashes[i], num_lines) * kBlockBytes;
  };
  for (size_t i = 0; i < std::min(n, kRawPrefetchAhead); ++i) __builtin_prefetch(line(i), kWrite);
  for (size_t i = 0; i < n; ++i) {
    if (i + kRawPrefetchAhead < n) __builtin_prefetch(line(i + kRawPrefetchAhead), kWrite);
    access(line(i));
  }
}

template <int kWrite, typename Access>
double NsPerAccess(char* data, uint64_t num_lines, uint64_t first, size_t num_threads,
                   Progress* progress, Access access) {
  std::vector<RandomLines> threads(num_threads);
  const NsPerKey ns = TimeBatches(
      num_threads, {first, kRawAccesses, 1}, progress, 1,
      [&](size_t t, const KeyRange& range, uint64_t done, size_t n) {
        for (size_t i = 0; i < n; ++i) threads[t].hashes[i] = Mix(range.first + done + i);
      },
      [&](size_t t, size_t n) {
        RandomLines& mine = threads[t];
        uint64_t sum = 0;
        VisitLines<kWrite>(data, num_lines, mine.hashes.data(), n,
                           [&](char* line) { sum += access(reinterpret_cast<uint64_t*>(line)); });
        mine.sum += sum;
      });
  volatile uint64_t keep = 0;  // or the compiler could drop the loads
  for (const RandomLines& thread : threads) keep = keep + thread.sum;
  return ns.median;
}

}  // namespace

RawLimits MeasureRaw(uint64_t bytes, size_t num_threads, Progress* progress) {
  const uint64_t num_lines = std::max<uint64_t>(1, bytes / kBlockBytes);
  const auto memory = support::AlignedMemory::Zeroed(num_lines * kBlockBytes);
  char* data = memory.data();
  if (data == nullptr) throw std::bad_alloc();
  for (uint64_t i = 0; i < num_lines * kBlockBytes; i += kPageBytes) data[i] = 1;
  RawLimits limits;
  limits.load_ns = NsPerAccess<0>(data, num_lines, 0, num_threads, progress,
                                  [](const uint64_t* word) { return *word; });
  // Threads may write the same word. Relaxed stores compile to the plain ones of a filter without
  // atomics.
  limits.modify_ns =
      NsPerAccess<1>(data, num_lines, kRawAccesses, num_threads, progress, [](uint64_t* word) {
        const uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
        __atomic_store_n(word, old | 2, __ATOMIC_RELAXED);
        return old;
      });
  return limits;
}

}  // namespace bloomline::bench
