// The parts of a filter's keys that are kept until its range entries are chosen.
#ifndef BLOOMLINE_FILTER_RANGES_KEPT_KEYS_H_
#define BLOOMLINE_FILTER_RANGES_KEPT_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The beginnings of keys, in order: the needed bytes of each, less those that it shares with the
// one before.
class KeptKeys {
 public:
  // Adds the next key, with the number of its first bytes that are needed; 0: it is not kept, but
  // must be told.
  void Add(const KeyDifference& key, size_t num_bytes) {
    num_known_bytes_ = std::min(num_known_bytes_, key.common_bytes);
    if (num_bytes == 0) return;
    const size_t first_byte = std::min(num_known_bytes_, num_bytes);
    const size_t num_new = num_bytes - first_byte;
    if (capacity_ - size_ < sizeof(Head) + num_new + kCopySlackBytes) Grow(num_new);
    Write(key, first_byte, num_bytes, bytes_.get() + size_);
    size_ += sizeof(Head) + num_new;
    num_known_bytes_ = num_bytes;
  }

  // It has doubled since the last call, and so has begun to matter.
  bool HasGrown() {
    if (size_ <= forget_from_bytes_) return false;
    forget_from_bytes_ = 2 * size_;
    return true;
  }
  // Drops what is not needed any more.
  void Forget(const RangeCounts& counts);

  // Calls f(key, how many of its bytes are those of the key before) for all.
  template <typename F>
  void ForEach(F f) const {
    char key[kMaxPrefixBytes + kCopySlackBytes];
    for (size_t at = 0; at < size_;) {
      Head head;
      std::memcpy(&head, bytes_.get() + at, sizeof(head));
      at += sizeof(head);
      const size_t num_new = size_t{head.num_bytes} - head.first_byte;
      CopyBytes({bytes_.get() + at, num_new}, 0, num_new, key + head.first_byte);
      at += num_new;
      f(KeyDifference{{key, head.num_bytes}, head.common_bytes, head.common_bits},
        size_t{head.first_byte});
    }
  }

  void Clear() {
    size_ = 0;
    num_known_bytes_ = 0;
    forget_from_bytes_ = kLittle;
  }

 private:
  // Before the bytes from first_byte to num_bytes.
  struct Head {
    uint16_t common_bits;
    uint16_t common_bytes;
    uint16_t first_byte;
    uint16_t num_bytes;
  };
  static_assert(kMaxPrefixBytes <= UINT16_MAX);
  // Below this size nothing is dropped, because a file often begins with keys unlike those that
  // follow.
  static constexpr size_t kLittle = 256 << 10;

  static void Write(const KeyDifference& key, size_t first_byte, size_t num_bytes, char* to) {
    const Head head = {static_cast<uint16_t>(key.common_bits),
                       static_cast<uint16_t>(key.common_bytes), static_cast<uint16_t>(first_byte),
                       static_cast<uint16_t>(num_bytes)};
    std::memcpy(to, &head, sizeof(head));
    CopyBytes(key.key, first_byte, num_bytes, to + sizeof(head));
  }

  void Grow(size_t num_new);

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t num_known_bytes_ = 0;  // of the last key: what can be put together of what is kept
  size_t forget_from_bytes_ = kLittle;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_KEPT_KEYS_H_
