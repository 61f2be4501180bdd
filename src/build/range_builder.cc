#include "src/build/range_builder.h"

#include <algorithm>

#include "src/build/compact_builder.h"
#include "src/build/keys_by_block.h"
#include "src/kernels/compact/compact_line.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {
namespace {

constexpr size_t kHashesAtATime = 512;
// Enough for SolveLine to see that a line is overfull.
constexpr size_t kCutLine = kernels::kMaxSlots + 1;

static_assert(LineRangeBuilder::kMinCapacity / LineRangeBuilder::kRoomPerLine * kCutLine +
                  kHashesAtATime <=
              LineRangeBuilder::kMinCapacity);
static_assert(2 * sizeof(uint64_t) + (kernels::kBlockBytes + sizeof(size_t)) /
                                         double{LineRangeBuilder::kRoomPerLine} <=
              LineRangeBuilder::kBytesPerHash);

}  // namespace

LineRangeBuilder::LineRangeBuilder(const Shape& shape, const kernels::Kernel& kernel,
                                   size_t capacity)
    : shape_(shape),
      num_lines_(shape.payload_bytes / shape.line_bytes),
      kernel_(kernel),
      capacity_(capacity),
      hashes_(NewHashArray(capacity)),
      ordered_(NewHashArray(capacity)) {}

void LineRangeBuilder::Start(uint64_t first_line, size_t count) {
  lines_.assign(count * shape_.line_bytes, 0);
  first_line_ = first_line;
  count_ = count;
  if (count != 0) range_ = HashesOfLines(first_line, count, num_lines_);
  size_ = 0;
}

void LineRangeBuilder::Add(const uint64_t* hashes, size_t n) {
  for (size_t start = 0; start < n; start += kHashesAtATime) {
    const size_t end = std::min(n, start + kHashesAtATime);
    if (capacity_ - size_ < end - start) MakeRoom();
    const size_t old_size = size_;
    if (count_ != 0) {  // no range of hashes is empty
      size_ += CopyInRange(range_, hashes + start, end - start, hashes_.get() + size_);
    }
    num_taken_ += size_ - old_size;
    for (size_t i = old_size; i < size_; ++i) checksum_ ^= hashes_[i];
  }
}

const char* LineRangeBuilder::Finish() {
  BuildLines();
  return lines_.data();
}

void LineRangeBuilder::MakeRoom() {
  if (IsCompact(shape_.layout)) {
    CutOverfullLines();
  } else {
    BuildLines();  // bits can be set at any time
  }
}

void LineRangeBuilder::CutOverfullLines() {
  uint64_t* hashes = hashes_.get();
  std::sort(hashes, hashes + size_);
  size_t kept = 0;
  for (size_t start = 0; start < size_;) {
    const uint64_t line = kernels::BlockIndex(hashes[start], num_lines_);
    size_t end = start;
    while (end < size_ && kernels::BlockIndex(hashes[end], num_lines_) == line) ++end;
    if (end - start <= kernels::kMaxSlots) {
      std::copy(hashes + start, hashes + end, hashes + kept);
      kept += end - start;
    } else {
      // All different ones, as far as they matter, and then repeats.
      const auto different =
          static_cast<size_t>(std::unique(hashes + start, hashes + end) - (hashes + start));
      const uint64_t repeat = hashes[start];
      for (size_t i = 0; i < kCutLine; ++i) {
        hashes[kept++] = i < different ? hashes[start + i] : repeat;
      }
    }
    start = end;
  }
  size_ = kept;
}

void LineRangeBuilder::BuildLines() {
  LineGroups groups(num_lines_, first_line_, count_);
  groups.Order(hashes_.get(), size_, ordered_.get());
  groups.ForEachLine(ordered_.get(), [&](size_t i, uint64_t* hashes, size_t n) {
    char* line = lines_.data() + i * shape_.line_bytes;
    if (IsCompact(shape_.layout)) {
      SolveLine(hashes, n, shape_, kernel_, line);
    } else {
      kernel_.blocked.insert_many({line, 1, static_cast<int>(shape_.parameter)}, n, hashes);
    }
  });
  size_ = 0;
}

}  // namespace bloomline::core
