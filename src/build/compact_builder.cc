#include "src/build/compact_builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "src/build/block_range.h"
#include "src/build/hash_array.h"
#include "src/build/keys_by_block.h"
#include "src/build/run_on_threads.h"
#include "src/kernels/compact/compact_line.h"

namespace bloomline::core {
namespace {

// Keys are brought together line by line in parts of the payload: temporary memory is a share of
// the list instead of its double. Each part costs a pass over the list, 0.4 ns per key. What it
// selects is divided once more, so that keys are in the cache while they are ordered: two times
// sqrt(p) passes instead of p.
constexpr size_t kMinParts = 5;
constexpr size_t kKeysToOrder = 512 << 10;

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
    const int seed = kernel.compact.packed_solve(keys, slots, shape.line_bytes, line);
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

// Hashes of a range of lines. Throws bad_alloc.
class Selection {
 public:
  void Start(HashRange range) {
    range_ = range;
    size_ = 0;
  }

  // At most so many at a time, since there must be room for all.
  static constexpr size_t kMaxToAdd = 8192;
  void Add(const uint64_t* hashes, size_t n) {
    for (size_t start = 0; start < n; start += kMaxToAdd) {
      const size_t count = std::min(kMaxToAdd, n - start);
      Reserve(size_ + count);
      size_ += CopyInRange(range_, hashes + start, count, hashes_.get() + size_);
    }
  }

  void Reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    const size_t grown = capacity + capacity / 16;
    HashArray hashes = NewHashArray(grown);
    if (size_ != 0) std::memcpy(hashes.get(), hashes_.get(), size_ * sizeof(uint64_t));
    hashes_ = std::move(hashes);
    capacity_ = grown;
  }

  const uint64_t* hashes() const { return hashes_.get(); }
  size_t size() const { return size_; }

 private:
  HashRange range_ = {};
  HashArray hashes_;
  size_t capacity_ = 0;
  size_t size_ = 0;
};

// Range number i of `count` equal ones of lines 0 .. num_lines - 1.
struct LinesOfPart {
  LinesOfPart(uint64_t num_lines, size_t count, size_t i)
      : first(num_lines / count * i + std::min(num_lines % count, uint64_t{i})),
        size(static_cast<size_t>(num_lines / count) + (i < num_lines % count ? 1 : 0)) {}
  uint64_t first;
  size_t size;
};

// Builds a payload part by part, on one thread. Throws bad_alloc.
class PartBuilder {
 public:
  PartBuilder(const HashList& list, const Shape& shape, const kernels::Kernel& kernel,
              size_t num_parts, char* data)
      : list_(list),
        shape_(shape),
        kernel_(kernel),
        num_lines_(shape.payload_bytes / shape.line_bytes),
        expected_size_(list.size() / num_parts),
        data_(data) {}

  void Build(uint64_t first_line, size_t count) {
    part_.Start(HashesOfLines(first_line, count, num_lines_));
    part_.Reserve(expected_size_ + Selection::kMaxToAdd);
    for (HashList::Run run = list_.FirstRun();; run = list_.RunAfter(run)) {
      part_.Add(run.hashes, run.size);
      if (run.next == nullptr) break;
    }
    const size_t num_pieces = part_.size() / kKeysToOrder + 1;
    if (num_pieces == 1) return Solve(part_, first_line, count);
    for (size_t i = 0; i < num_pieces; ++i) {
      const LinesOfPart lines(count, num_pieces, i);
      if (lines.size == 0) continue;
      piece_.Start(HashesOfLines(first_line + lines.first, lines.size, num_lines_));
      piece_.Reserve(part_.size() / num_pieces + Selection::kMaxToAdd);
      piece_.Add(part_.hashes(), part_.size());
      Solve(piece_, first_line + lines.first, lines.size);
    }
  }

 private:
  void Solve(const Selection& selection, uint64_t first_line, size_t count) {
    if (ordered_capacity_ < selection.size()) {
      ordered_.reset();
      ordered_capacity_ = 0;
      ordered_ = NewHashArray(selection.size() + selection.size() / 16);
      ordered_capacity_ = selection.size() + selection.size() / 16;
    }
    LineGroups groups(num_lines_, first_line, count);
    groups.Order(selection.hashes(), selection.size(), ordered_.get());
    SolveGroups(groups, ordered_.get(), shape_, kernel_, data_ + first_line * shape_.line_bytes);
  }

  const HashList& list_;
  const Shape& shape_;
  const kernels::Kernel& kernel_;
  const uint64_t num_lines_;
  const size_t expected_size_;
  char* const data_;
  Selection part_;
  Selection piece_;
  HashArray ordered_;
  size_t ordered_capacity_ = 0;
};

size_t NumParts(size_t num_keys, size_t num_threads) {
  const double pieces = static_cast<double>(num_keys) / static_cast<double>(kKeysToOrder);
  return std::max(kMinParts * num_threads, static_cast<size_t>(std::ceil(std::sqrt(pieces))));
}

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
  const bool solved =
      n <= kernels::kMaxSlots && (shape.layout == Layout::kCompactLanes
                                      ? kernel.compact.lanes_solve(hashes, n, shape.parameter, line)
                                      : SolvePackedLine(hashes, n, shape, kernel, line));
  if (!solved) MatchAll(shape, line);
}

bool BuildCompact(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data) {
  const uint64_t num_lines = shape.payload_bytes / shape.line_bytes;
  const size_t threads = static_cast<size_t>(std::max(1, num_threads));
  const size_t num_parts = NumParts(hashes.size(), threads);
  std::atomic<size_t> next_part{0};
  std::atomic<bool> complete{true};
  RunOnThreads(threads, [&](size_t) {
    PartBuilder builder(hashes, shape, kernel, num_parts, data);
    for (size_t part; (part = next_part.fetch_add(1)) < num_parts;) {
      const LinesOfPart lines(num_lines, num_parts, part);
      if (lines.size == 0) continue;
      try {
        builder.Build(lines.first, lines.size);
      } catch (const std::bad_alloc&) {
        complete = false;
        for (uint64_t line = lines.first; line < lines.first + lines.size; ++line) {
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
