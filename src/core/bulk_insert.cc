#include "src/core/bulk_insert.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "src/core/payload.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {
namespace {

// A partition's lines should stay in L2 while its keys go in.
constexpr uint64_t kPartitionLines = (uint64_t{256} << 10) / kernels::kLineBytes;
// More partitions, a write stream each, cost more in the ordering than they save in the insertion.
constexpr uint64_t kMaxPartitions = 2048;
// The list is worked off in so many windows, so that the ordered copy stays small beside it.
constexpr size_t kWindows = 8;

// Lines [first, first + count): what one thread writes, and nobody else.
struct LineRange {
  uint64_t first;
  uint64_t count;
};

// Orders the hashes of a line range by partition, window by window.
class Partitioner {
 public:
  Partitioner(uint64_t num_lines, const LineRange& range) : num_lines_(num_lines), range_(range) {
    uint64_t lines = kPartitionLines;
    while (lines * kMaxPartitions < range.count) lines *= 2;
    while (lines > 1) {
      lines /= 2;
      ++shift_;
    }
    num_partitions_ = static_cast<size_t>((range.count >> shift_) + 1);
    position_.resize(num_partitions_ + 1);
  }

  // How many of the window's hashes belong to the range.
  size_t Count(const HashList& list, const HashList::Run& first, size_t num_runs) {
    std::fill(position_.begin(), position_.end(), 0);
    ForEachHash(list, first, num_runs, [&](uint64_t hash) { ++position_[PartitionOf(hash)]; });
    size_t start = 0;
    for (size_t& position : position_) {
      const size_t count = position;
      position = start;
      start += count;
    }
    return position_[num_partitions_];
  }

  // Writes the hashes last counted to `out`, ordered by partition. `out` has room for them and one
  // more.
  void Order(const HashList& list, const HashList::Run& first, size_t num_runs, uint64_t* out) {
    // Hashes of other ranges all go to the one slot behind the own ones: no branch to mispredict.
    ForEachHash(list, first, num_runs, [&](uint64_t hash) {
      const size_t partition = PartitionOf(hash);
      out[position_[partition]] = hash;
      position_[partition] += partition < num_partitions_ ? 1 : 0;
    });
  }

 private:
  size_t PartitionOf(uint64_t hash) const {
    const uint64_t line = kernels::BlockedLine(hash, num_lines_) - range_.first;
    return line < range_.count ? static_cast<size_t>(line >> shift_) : num_partitions_;
  }

  template <typename F>
  static void ForEachHash(const HashList& list, HashList::Run run, size_t num_runs, F f) {
    for (;; run = list.RunAfter(run)) {
      for (size_t i = 0; i < run.size; ++i) f(run.hashes[i]);
      if (--num_runs == 0) return;
    }
  }

  const uint64_t num_lines_;
  const LineRange range_;
  int shift_ = 0;  // a partition is 2^shift_ lines
  size_t num_partitions_;
  std::vector<size_t> position_;
};

bool Contains(const LineRange& range, uint64_t line) { return line - range.first < range.count; }

// Needs no memory.
void InsertStraight(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                    char* data) {
  for (HashList::Run run = hashes.FirstRun();; run = hashes.RunAfter(run)) {
    InsertHashes(shape, kernel, data, run.size, run.hashes);
    if (run.next == nullptr) return;
  }
}

// May throw bad_alloc, with some of the bits set.
void InsertOrdered(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                   const LineRange& range, char* data) {
  Partitioner partitioner(shape.payload_bytes / kernels::kLineBytes, range);
  const size_t window = hashes.size() / kWindows + 1;
  std::unique_ptr<uint64_t[]> ordered;
  size_t capacity = 0;
  for (HashList::Run run = hashes.FirstRun();; run = hashes.RunAfter(run)) {
    const HashList::Run first = run;
    size_t num_runs = 1;
    for (size_t size = run.size; size < window && run.next != nullptr; ++num_runs) {
      run = hashes.RunAfter(run);
      size += run.size;
    }
    const size_t own = partitioner.Count(hashes, first, num_runs);
    if (own + 1 > capacity) {
      ordered.reset();
      capacity = own + own / 16 + 1;  // windows differ a little
      ordered.reset(new uint64_t[capacity]);
    }
    partitioner.Order(hashes, first, num_runs, ordered.get());
    InsertHashes(shape, kernel, data, own, ordered.get());
    if (run.next == nullptr) return;
  }
}

void InsertRange(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                 const LineRange& range, char* data) {
  try {
    InsertOrdered(hashes, shape, kernel, range, data);
  } catch (const std::bad_alloc&) {
    // Setting a bit twice does no harm, so it starts over, one key at a time.
    const uint64_t num_lines = shape.payload_bytes / kernels::kLineBytes;
    for (HashList::Run run = hashes.FirstRun();; run = hashes.RunAfter(run)) {
      for (size_t i = 0; i < run.size; ++i) {
        if (Contains(range, kernels::BlockedLine(run.hashes[i], num_lines))) {
          InsertHashes(shape, kernel, data, 1, run.hashes + i);
        }
      }
      if (run.next == nullptr) return;
    }
  }
}

}  // namespace

void BulkInsert(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                int num_threads, char* data) {
  if (shape.layout != Layout::kBlocked || shape.payload_bytes < kPartitionFromBytes) {
    InsertStraight(hashes, shape, kernel, data);
    return;
  }
  const uint64_t num_lines = shape.payload_bytes / kernels::kLineBytes;
  const auto share = static_cast<uint64_t>(std::max(1, num_threads));
  const auto insert_share = [&](uint64_t i) {
    const uint64_t first = num_lines / share * i;
    const uint64_t end = i + 1 == share ? num_lines : first + num_lines / share;
    InsertRange(hashes, shape, kernel, {first, end - first}, data);
  };
  std::vector<std::thread> threads;
  uint64_t started = 1;  // this thread takes the first share
  try {
    for (; started < share; ++started) threads.emplace_back(insert_share, started);
  } catch (const std::exception&) {  // system_error, bad_alloc: no more threads to be had
  }
  for (uint64_t i = started; i < share; ++i) insert_share(i);
  insert_share(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bloomline::core
