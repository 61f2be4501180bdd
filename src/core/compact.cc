#include "src/core/compact.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "src/core/line_groups.h"
#include "src/core/run_on_threads.h"
#include "src/kernels/compact_line.h"

namespace bloomline::core {
namespace {

using kernels::BlockedLine;

// Keys are brought together line by line in passes over the list, each for a range of lines:
// temporary memory is a share of the list instead of its double. A pass reads the whole list (0.5
// ns per key); fewer keys per pass stay in cache while they are ordered.
constexpr size_t kMinPasses = 5;
constexpr size_t kMaxPasses = 32;
constexpr size_t kKeysPerPass = 512 << 10;

void MatchAll(const Shape& shape, char* line) {
  if (shape.layout == Layout::kCompactLanes) {
    std::memset(line, 0xFF, shape.line_bytes);  // the header's bits are the upper ones of each lane
  } else {
    line[shape.line_bytes - 1] = static_cast<char>(kernels::kMatchAllCode);
  }
}

// False: no solution.
bool SolvePackedLine(const uint64_t* hashes, size_t n, const Shape& shape,
                     const kernels::Kernel& kernel, char* line) {
  const unsigned base_slots = shape.parameter;
  const unsigned last_slots = std::min(kernels::kMaxSlots, base_slots + kernels::kMatchAllCode - 1);
  if (n > last_slots) return false;
  kernels::LineKeys keys(n);
  for (size_t i = 0; i < n; ++i) keys.Set(i, hashes[i]);
  const unsigned first_slots = std::max(static_cast<unsigned>(n), base_slots);
  for (unsigned slots = first_slots; slots <= last_slots; ++slots) {
    const int seed = kernel.compact->packed_solve(keys, slots, shape.line_bytes, line);
    if (seed < 0) continue;
    line[shape.line_bytes - 1] =
        static_cast<char>(slots - base_slots + 64 * static_cast<unsigned>(seed));
    return true;
  }
  return false;
}

// `data` is where the first line of the groups goes.
void SolveGroups(const LineGroups& groups, uint64_t* ordered, const Shape& shape,
                 const kernels::Kernel& kernel, char* data) {
  groups.ForEachLine(ordered, [&](size_t i, uint64_t* hashes, size_t n) {
    SolveLine(hashes, n, shape, kernel, data + i * shape.line_bytes);
  });
}

// The hashes of a range of lines, out of the whole list. Grows as needed; throws bad_alloc.
class Selection {
 public:
  void Select(const HashList& list, uint64_t num_lines, uint64_t first_line, size_t count) {
    size_ = 0;
    for (HashList::Run run = list.FirstRun();; run = list.RunAfter(run)) {
      Reserve(size_ + run.size);
      // Written always and kept only if it belongs here: no branch to mispredict.
      for (size_t i = 0; i < run.size; ++i) {
        hashes_[size_] = run.hashes[i];
        size_ += BlockedLine(run.hashes[i], num_lines) - first_line < count ? 1 : 0;
      }
      if (run.next == nullptr) return;
    }
  }

  const uint64_t* hashes() const { return hashes_.get(); }
  size_t size() const { return size_; }

  // At least as large as the selection.
  uint64_t* OrderedBuffer() {
    if (ordered_capacity_ < size_) {
      ordered_.reset();
      ordered_capacity_ = 0;
      ordered_.reset(new uint64_t[capacity_]);
      ordered_capacity_ = capacity_;
    }
    return ordered_.get();
  }

 private:
  void Reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    const size_t grown = capacity + capacity / 16;
    std::unique_ptr<uint64_t[]> hashes(new uint64_t[grown]);
    if (size_ != 0) std::memcpy(hashes.get(), hashes_.get(), size_ * sizeof(uint64_t));
    hashes_ = std::move(hashes);
    capacity_ = grown;
  }

  std::unique_ptr<uint64_t[]> hashes_;
  std::unique_ptr<uint64_t[]> ordered_;
  size_t capacity_ = 0;
  size_t ordered_capacity_ = 0;
  size_t size_ = 0;
};

}  // namespace

void SolveLine(uint64_t* hashes, size_t n, const Shape& shape, const kernels::Kernel& kernel,
               char* line) {
  std::memset(line, 0, shape.line_bytes);
  if (n == 0) return;
  if (n > kernels::kMaxSlots) {
    // Equal hashes are one equation.
    std::sort(hashes, hashes + n);
    n = static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
  }
  const bool solved = n <= kernels::kMaxSlots &&
                      (shape.layout == Layout::kCompactLanes
                           ? kernel.compact->lanes_solve(hashes, n, shape.parameter, line)
                           : SolvePackedLine(hashes, n, shape, kernel, line));
  if (!solved) MatchAll(shape, line);
}

bool BuildCompact(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data) {
  const uint64_t num_lines = shape.payload_bytes / shape.line_bytes;
  const size_t threads = static_cast<size_t>(std::max(1, num_threads));
  const size_t passes = std::clamp(hashes.size() / kKeysPerPass, kMinPasses * threads,
                                   std::max(kMaxPasses, kMinPasses * threads));
  std::atomic<size_t> next_pass{0};
  std::atomic<bool> complete{true};
  RunOnThreads(threads, [&](size_t) {
    Selection selection;
    for (size_t pass; (pass = next_pass.fetch_add(1)) < passes;) {
      const uint64_t first =
          num_lines / passes * pass + std::min(num_lines % passes, uint64_t{pass});
      const size_t count = num_lines / passes + (pass < num_lines % passes ? 1 : 0);
      if (count == 0) continue;
      try {
        selection.Select(hashes, num_lines, first, count);
        LineGroups groups(num_lines, first, count);
        uint64_t* ordered = selection.OrderedBuffer();
        groups.Order(selection.hashes(), selection.size(), ordered);
        SolveGroups(groups, ordered, shape, kernel, data + first * shape.line_bytes);
      } catch (const std::bad_alloc&) {
        complete = false;
        for (uint64_t line = first; line < first + count; ++line) {
          MatchAll(shape, data + line * shape.line_bytes);
        }
      }
    }
  });
  return complete;
}

void BuildCompactFromArray(uint64_t* hashes, size_t n, const Shape& shape,
                           const kernels::Kernel& kernel, char* data) {
  const uint64_t num_lines = shape.payload_bytes / shape.line_bytes;
  if (num_lines == 1) {
    SolveLine(hashes, n, shape, kernel, data);
    return;
  }
  LineGroups groups(num_lines, 0, num_lines);
  std::vector<uint64_t> ordered(n);
  groups.Order(hashes, n, ordered.data());
  SolveGroups(groups, ordered.data(), shape, kernel, data);
}

}  // namespace bloomline::core
