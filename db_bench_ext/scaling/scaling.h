// What the parts of the scale bench share: timing of batched calls over very many keys, on one
// thread or several, where keys are made batch by batch while the clock stands still; filters,
// results.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_SCALING_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_SCALING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench {

// With 16-byte keys a batch, its keys and their views, has 130 KB and stays in the second-level
// cache.
constexpr size_t kBatchKeys = 4096;

// `count` keys: first, first + stride, ...
struct KeyRange {
  uint64_t first = 0;
  uint64_t count = 0;
  uint64_t stride = 1;
};

// The time of all threads together: n threads that each take t ns per key take t / n.
struct NsPerKey {
  double median = 0;
  double mean = 0;
};

// prepare(thread, range, done, n) makes the next n items of a thread's range; work(thread, n) is
// timed. Each item adds `weight` to the progress. Rethrows what a thread throws.
template <typename Prepare, typename Work>
NsPerKey TimeBatches(size_t num_threads, const KeyRange& range, Progress* progress, uint64_t weight,
                     Prepare prepare, Work work) {
  // Progress is reported after about this many items.
  constexpr uint64_t kReportItems = uint64_t{1} << 21;
  std::vector<std::vector<double>> times(num_threads);  // ns per key of each batch
  std::vector<std::exception_ptr> errors(num_threads);
  const auto run = [&](size_t t) {
    try {
      const uint64_t begin = range.count / num_threads * t;
      const uint64_t end = t + 1 == num_threads ? range.count : range.count / num_threads * (t + 1);
      const KeyRange mine = {range.first + begin * range.stride, end - begin, range.stride};
      uint64_t unreported = 0;
      for (uint64_t done = 0; done < mine.count;) {
        const size_t n = static_cast<size_t>(std::min<uint64_t>(kBatchKeys, mine.count - done));
        prepare(t, mine, done, n);
        times[t].push_back(1e9 * SecondsOf([&] { work(t, n); }) / static_cast<double>(n));
        done += n;
        unreported += n;
        // The first thread reports for all, because all are about as fast.
        if (t == 0 && (unreported >= kReportItems || done == mine.count)) {
          progress->Add(unreported * weight * num_threads);
          unreported = 0;
        }
      }
    } catch (...) {
      errors[t] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (size_t t = 1; t < num_threads; ++t) threads.emplace_back(run, t);
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  NsPerKey rates;  // at first keys per ns
  for (const std::vector<double>& thread : times) {
    if (thread.empty()) continue;
    rates.median += 1 / Median(thread);
    rates.mean +=
        static_cast<double>(thread.size()) / std::accumulate(thread.begin(), thread.end(), 0.0);
  }
  return {1 / rates.median, 1 / rates.mean};
}

// Times work(thread, batch) over the keys of `range`.
template <typename Work>
NsPerKey TimeKeys(size_t num_threads, const KeyRange& range, Progress* progress, Work work) {
  std::vector<KeyBatch> batches;
  for (size_t t = 0; t < num_threads; ++t) batches.emplace_back(kBatchKeys);
  return TimeBatches(
      num_threads, range, progress, 1,
      [&](size_t t, const KeyRange& mine, uint64_t done, size_t n) {
        batches[t].Fill(mine.first + done * mine.stride, mine.stride, n);
      },
      [&](size_t t, size_t) { work(t, batches[t]); });
}

// The limit that the machine's memory sets: random cache lines loaded, or read, changed and
// written, and nothing else.
// Lines are prefetched this many accesses ahead; more gains nothing (docs/benchmarking.md).
constexpr size_t kRawPrefetchAhead = 48;
constexpr uint64_t kRawAccesses = uint64_t{1} << 22;

struct RawLimits {
  double load_ns = 0;
  double modify_ns = 0;
};

// In `bytes` of memory, mapped like a filter's and touched before; the line numbers come from an
// array in the first-level cache. Medians over batches, in ns per access of all threads together.
// Throws std::bad_alloc.
RawLimits MeasureRaw(uint64_t bytes, size_t num_threads, Progress* progress);

// What MeasureRaw adds to the progress.
constexpr uint64_t kRawProgress = 2 * kRawAccesses;

// The values of --subjects, in the order of the tables.
inline const std::vector<std::string> kSubjects = {"bloom", "atomic", "blocked", "compact"};

constexpr double kRate = 0.01;  // requested

struct Flags {
  std::vector<uint64_t> sizes;  // numbers of keys
  std::vector<std::string> subjects = kSubjects;
  int max_threads = 0;
  uint64_t num_missing = 20000000;
  uint64_t max_checked = 100000000;  // stored keys queried after building
  std::string out_directory;
  bool quick = false;
  bool progress = false;
};

// A filter to measure: which one, with how many keys, on how many threads.
struct Case {
  std::string subject;  // one of kSubjects
  uint64_t num_keys = 0;
  size_t num_threads = 1;

  uint64_t FilterBytes() const;
  uint64_t MemoryBytes() const;  // at its peak
  // What Measure adds to the progress: about its time in ns.
  uint64_t Work(const Flags& flags) const;
};

// What was measured of one filter. Times are medians over batches, in ns per key of all threads
// together.
struct Row {
  Case of;
  std::string skipped;  // the reason if the case was skipped; then the rest is empty

  uint64_t filter_bytes = 0;
  RawLimits raw;  // in as much memory, on as many threads; the lower of before and after
  NsPerKey add;
  double finish_ns = 0;  // of Finish as a whole, per key; 0 for filters without it
  NsPerKey hit;
  NsPerKey miss;
  NsPerKey mixed;  // half of the keys stored, by chance
  double false_positive_rate = 0;
  double theory = 0;
  uint64_t num_checked = 0;
  uint64_t num_lost = 0;
  uint64_t peak_bytes = 0;  // of the whole process, including keys

  double BuildNs() const { return add.median + finish_ns; }
  double BitsPerKey() const {
    return 8 * static_cast<double>(filter_bytes) / static_cast<double>(of.num_keys);
  }
};

// Throws std::runtime_error.
Row Measure(const Case& c, const Flags& flags, Progress* progress);

std::string TableHead(uint64_t num_keys);
std::string TableRow(const Row& row);

// Speed of several threads as a multiple of one thread's; empty if one thread was measured.
std::string ThreadScaling(const std::vector<Row>& rows);

// A line for each filter that lost keys, and for each false-positive rate more than 3 % off theory.
std::string Failures(const std::vector<Row>& rows);

std::string Csv(const std::vector<Row>& rows);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_SCALING_H_
