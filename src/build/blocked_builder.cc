#include "src/build/blocked_builder.h"

#include <algorithm>
#include <new>
#include <vector>

#include "src/build/hash_array.h"
#include "src/build/insert_hashes.h"
#include "src/build/run_on_threads.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {
namespace {

// A partition's lines should stay in L2 while its keys go in.
constexpr uint64_t kPartitionLines = (uint64_t{256} << 10) / kernels::kBlockBytes;
// More partitions, a write stream each, cost more in the ordering than they save in the insertion.
constexpr uint64_t kMaxPartitions = 2048;
// The list is worked off in so many windows, so that the ordered copy stays small beside it.
constexpr size_t kWindows = 8;

// Equal shares of a payload's lines.
struct Partitions {
  explicit Partitions(uint64_t num_lines) : num_lines(num_lines) {
    while ((uint64_t{1} << shift) < kPartitionLines) ++shift;
    while ((num_lines >> shift) >= kMaxPartitions) ++shift;
    count = static_cast<size_t>((num_lines - 1) >> shift) + 1;
  }
  size_t Of(uint64_t hash) const {
    return static_cast<size_t>(kernels::BlockIndex(hash, num_lines) >> shift);
  }

  uint64_t num_lines;
  int shift = 0;  // a partition is 2^shift lines
  size_t count;
};

// `size` hashes from the first of a run on, which may be the rest of one.
struct Stretch {
  HashList::Run first;
  size_t size = 0;
};

// The next `size` hashes, or what is left; `*next` moves behind them, to null at the end.
Stretch TakeStretch(const HashList& list, size_t size, HashList::Run* next) {
  Stretch stretch = {*next, 0};
  while (next->hashes != nullptr && stretch.size < size) {
    const size_t taken = std::min(next->size, size - stretch.size);
    stretch.size += taken;
    if (taken < next->size) {
      next->hashes += taken;
      next->size -= taken;
    } else {
      *next = next->next == nullptr ? HashList::Run() : list.RunAfter(*next);
    }
  }
  return stretch;
}

template <typename F>
void ForEachHash(const HashList& list, const Stretch& stretch, F f) {
  HashList::Run run = stretch.first;
  for (size_t left = stretch.size; left != 0;) {
    const size_t count = std::min(run.size, left);
    for (size_t i = 0; i < count; ++i) f(run.hashes[i]);
    left -= count;
    if (left != 0) run = list.RunAfter(run);
  }
}

// A stretch's hashes, ordered by partition. The memory is reused from stretch to stretch.
class OrderedStretch {
 public:
  // Throws bad_alloc.
  void Assign(const HashList& list, const Stretch& stretch, const Partitions& partitions) {
    if (stretch.size > capacity_) {
      hashes_.reset();
      capacity_ = 0;
      hashes_ = NewHashArray(stretch.size);
      capacity_ = stretch.size;
    }
    ends_.assign(partitions.count, 0);
    ForEachHash(list, stretch, [&](uint64_t hash) { ++ends_[partitions.Of(hash)]; });
    size_t start = 0;
    for (size_t& end : ends_) {
      const size_t count = end;
      end = start;
      start += count;
    }
    ForEachHash(list, stretch,
                [&](uint64_t hash) { hashes_[ends_[partitions.Of(hash)]++] = hash; });
  }

  void InsertPartition(size_t partition, const Shape& shape, const kernels::Kernel& kernel,
                       char* data) const {
    const size_t start = partition == 0 ? 0 : ends_[partition - 1];
    InsertHashes(shape, kernel, data, ends_[partition] - start, hashes_.get() + start);
  }

 private:
  HashArray hashes_;
  size_t capacity_ = 0;
  std::vector<size_t> ends_;  // of each partition in hashes_
};

void InsertStraight(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                    char* data) {
  for (HashList::Run run = hashes.FirstRun();; run = hashes.RunAfter(run)) {
    InsertHashes(shape, kernel, data, run.size, run.hashes);
    if (run.next == nullptr) return;
  }
}

// Window by window, threads first order a stretch each, then take partitions, so that no two write
// the same line. Throws bad_alloc, with some of the bits set.
void InsertByPartitions(const HashList& list, const Shape& shape, const kernels::Kernel& kernel,
                        int max_threads, char* data) {
  const Partitions partitions(shape.payload_bytes / kernels::kBlockBytes);
  // More threads than partitions would have nothing to insert, yet be started for each window.
  const size_t num_threads =
      std::min(partitions.count, static_cast<size_t>(std::max(1, max_threads)));
  const size_t stretch_size = list.size() / kWindows / num_threads + 1;
  std::vector<OrderedStretch> ordered(num_threads);
  std::vector<Stretch> stretches(num_threads);
  std::vector<char> failed(num_threads, 0);
  for (HashList::Run next = list.FirstRun(); next.hashes != nullptr;) {
    for (Stretch& stretch : stretches) stretch = TakeStretch(list, stretch_size, &next);
    RunOnThreads(num_threads, [&](size_t t) {
      try {
        ordered[t].Assign(list, stretches[t], partitions);
      } catch (const std::bad_alloc&) {
        failed[t] = 1;
      }
    });
    if (std::count(failed.begin(), failed.end(), 1) != 0) throw std::bad_alloc();
    RunOnThreads(num_threads, [&](size_t t) {
      const size_t end = partitions.count * (t + 1) / num_threads;
      for (size_t p = partitions.count * t / num_threads; p < end; ++p) {
        for (const OrderedStretch& source : ordered) {
          source.InsertPartition(p, shape, kernel, data);
        }
      }
    });
  }
}

}  // namespace

void BulkInsert(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                int num_threads, char* data) {
  if (shape.layout == Layout::kBlocked && shape.payload_bytes >= kPartitionFromBytes) {
    try {
      InsertByPartitions(hashes, shape, kernel, num_threads, data);
      return;
    } catch (const std::bad_alloc&) {
      // Setting a bit twice does no harm: start over without memory.
    }
  }
  InsertStraight(hashes, shape, kernel, data);
}

}  // namespace bloomline::core
