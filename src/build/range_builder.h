// Building a part of a payload in bounded memory: some of its lines, from hashes that come in any
// order and as often as they like.
#ifndef BLOOMLINE_BUILD_RANGE_BUILDER_H_
#define BLOOMLINE_BUILD_RANGE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/build/block_range.h"
#include "src/build/hash_array.h"
#include "src/format/format.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

class LineRangeBuilder {
 public:
  // The most memory it uses, in bytes per hash of its capacity: two arrays of hashes, the lines and
  // where each one's hashes end.
  static constexpr size_t kBytesPerHash = 18;
  static constexpr size_t kMinCapacity = 4096;

  // A line needs room for so many hashes. On average they have at most 85, in kCompact; one that
  // has more than kMaxSlots is cut to kMaxSlots + 1 without a change of what it becomes, so that
  // the others have room whatever the keys are.
  static constexpr size_t kRoomPerLine = 160;

  // `shape` is blocked or compact. capacity >= kMinCapacity. Throws bad_alloc.
  LineRangeBuilder(const Shape& shape, const kernels::Kernel& kernel, size_t capacity);

  // The most lines of a range.
  size_t max_lines() const { return capacity_ / kRoomPerLine; }

  // Begins lines first_line .. first_line + count - 1. Throws bad_alloc.
  void Start(uint64_t first_line, size_t count);

  // Takes those that belong to the range. Throws bad_alloc.
  void Add(const uint64_t* hashes, size_t n);

  // The finished lines, valid until the next Start: the bytes that the whole payload has there.
  // Throws bad_alloc.
  const char* Finish();

  // Hashes taken since construction, and the XOR of them.
  uint64_t num_taken() const { return num_taken_; }
  uint64_t checksum() const { return checksum_; }

 private:
  void MakeRoom();
  void CutOverfullLines();
  void BuildLines();

  const Shape shape_;
  const uint64_t num_lines_;
  const kernels::Kernel& kernel_;
  const size_t capacity_;
  HashArray hashes_;
  HashArray ordered_;
  std::vector<char> lines_;
  size_t size_ = 0;
  uint64_t first_line_ = 0;
  size_t count_ = 0;
  HashRange range_ = {};
  uint64_t num_taken_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_RANGE_BUILDER_H_
