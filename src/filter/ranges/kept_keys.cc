#include "src/filter/ranges/kept_keys.h"

#include <utility>

namespace bloomline::filter {

void KeptKeys::Grow(size_t num_new) {
  const size_t capacity =
      std::max(kLittle, 2 * capacity_) + sizeof(Head) + num_new + kCopySlackBytes;
  std::unique_ptr<char[]> bytes(new char[capacity]);
  if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void KeptKeys::Forget(const RangeCounts& counts) {
  // The bytes that stay are written over the old ones. They end at the same place or earlier: all
  // bytes that a key needs lie in its own record, or in records before it that are dropped.
  size_t size = 0;
  size_t known = 0;  // bytes of the key that what has been written gives
  ForEach([&](const KeyDifference& key, size_t first_byte) {
    known = std::min(known, first_byte);
    const size_t num_bytes = counts.NeededBytes(key);
    if (num_bytes == 0) return;
    const size_t first = std::min(known, num_bytes);
    char bytes[sizeof(Head) + kMaxPrefixBytes + kCopySlackBytes];
    Write(key, first, num_bytes, bytes);
    std::memcpy(bytes_.get() + size, bytes, sizeof(Head) + num_bytes - first);
    size += sizeof(Head) + num_bytes - first;
    known = num_bytes;
  });
  size_ = size;
  num_known_bytes_ = std::min(num_known_bytes_, known);
  forget_from_bytes_ = std::max(kLittle, 2 * size_);
}

}  // namespace bloomline::filter
