// What range entries may be made of, until their kinds are chosen: the first bytes of the keys.
#ifndef BLOOMLINE_FILTER_RANGES_KEPT_KEYS_H_
#define BLOOMLINE_FILTER_RANGES_KEPT_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>

#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The prefixes of keys that entries may need, in key order, delta-coded in chunks that never move.
// A key takes its new bytes and mostly 2 more.
class KeptKeys {
 public:
  // Adds the next key, of which the first num_bytes bytes are needed. If num_bytes is 0, the key is
  // not kept, but Add must still be called for it.
  void Add(const KeyDifference& key, size_t num_bytes) {
    num_known_bytes_ = std::min(num_known_bytes_, key.common_bytes);
    if (num_bytes == 0) return;
    const size_t first_byte = std::min(num_known_bytes_, num_bytes);
    const size_t num_new = num_bytes - first_byte;
    if (chunks_.empty() || chunks_.back().room() < kMaxHeadBytes + num_new + kCopySlackBytes) {
      AddChunk();
    }
    Chunk& chunk = chunks_.back();
    char* const to = WriteHead(key, first_byte, num_bytes, chunk.data() + chunk.size);
    CopyBytes(key.key, first_byte, num_bytes, to);
    const auto end = static_cast<size_t>(to - chunk.data()) + num_new;
    size_ += end - chunk.size;
    chunk.size = end;
    num_known_bytes_ = last_num_bytes_ = num_bytes;
  }

  // The memory of all chunks.
  size_t num_bytes() const { return num_bytes_; }

  // Whether the size has doubled since this last returned true, and so has begun to matter.
  bool HasGrown() {
    if (size_ <= forget_from_bytes_) return false;
    forget_from_bytes_ = 2 * size_;
    return true;
  }
  // Drops bytes that are no longer needed.
  void Forget(const RangeCounts& counts);

  // Calls f(key, how many bytes of chunks follow its chunk) for all keys.
  template <typename F>
  void ForEach(F f) const {
    Reader reader;
    size_t left = num_bytes_;
    for (const Chunk& chunk : chunks_) {
      left -= chunk.capacity;
      reader.Read(chunk, [&](const KeyDifference& key, size_t) { f(key, left); });
    }
  }

  // Calls f(key, how many bytes it shares with the key before) for all keys, and forgets them. Each
  // chunk is freed when it has been read.
  template <typename F>
  void TakeAll(F f) {
    Reader reader;
    for (; !chunks_.empty(); FreeFirst()) reader.Read(chunks_.front(), f);
    Clear();
  }

  void Clear();

 private:
  // A record has a head and the key's bytes from first_byte to num_bytes. The head begins with
  // common_bits in two bytes, of which the first has the lowest three, and these flags: numbers of
  // two bytes follow that are not what they mostly are.
  static constexpr unsigned kOwnCommonBytes = 1 << 3;  // not those of the common bits
  static constexpr unsigned kOwnFirstByte = 1 << 4;    // not the first that is not common
  static constexpr unsigned kOwnNumBytes = 1 << 5;     // not that of the record before
  static constexpr size_t kMaxHeadBytes = 8;
  static_assert(kMaxPrefixBytes <= UINT16_MAX && kMaxCellBits / 8 <= UINT8_MAX);

  // Below this size nothing is dropped, because a file often begins with keys unlike those that
  // follow.
  static constexpr size_t kLittle = 256 << 10;

  struct Chunk {
    explicit Chunk(size_t bytes);
    ~Chunk();
    Chunk(const Chunk&) = delete;
    Chunk& operator=(const Chunk&) = delete;

    char* data() const { return static_cast<char*>(memory); }
    size_t room() const { return capacity - size; }

    const size_t capacity;
    size_t size = 0;
    void* const memory;
  };

  // Puts the keys together.
  struct Reader {
    template <typename F>
    void Read(const Chunk& chunk, F f) {
      for (const char* at = chunk.data(); at != chunk.data() + chunk.size;) {
        const unsigned flags = Byte(&at);
        const size_t common_bits = 8 * Byte(&at) + (flags & 7);
        const size_t common_bytes = flags & kOwnCommonBytes ? Number(&at) : common_bits / 8;
        const size_t first_byte = flags & kOwnFirstByte ? Number(&at) : common_bytes;
        if (flags & kOwnNumBytes) num_bytes = Number(&at);
        const size_t num_new = num_bytes - first_byte;
        CopyBytes({at, num_new}, 0, num_new, key + first_byte);
        at += num_new;
        f(KeyDifference{{key, num_bytes}, common_bytes, common_bits}, first_byte);
      }
    }
    static unsigned Byte(const char** at) { return static_cast<unsigned char>(*(*at)++); }
    static size_t Number(const char** at) {
      const size_t low = Byte(at);
      return low | Byte(at) << 8;
    }

    char key[kMaxPrefixBytes + kCopySlackBytes];
    size_t num_bytes = 0;
  };

  // Returns the end.
  char* WriteHead(const KeyDifference& key, size_t first_byte, size_t num_bytes, char* to) const {
    unsigned flags = key.common_bits % 8;
    char* end = to + 2;
    const auto add = [&](unsigned flag, size_t number, size_t mostly) {
      if (number == mostly) return;
      flags |= flag;
      *end++ = static_cast<char>(number);
      *end++ = static_cast<char>(number >> 8);
    };
    add(kOwnCommonBytes, key.common_bytes, key.common_bits / 8);
    add(kOwnFirstByte, first_byte, key.common_bytes);
    add(kOwnNumBytes, num_bytes, last_num_bytes_);
    to[0] = static_cast<char>(flags);
    to[1] = static_cast<char>(key.common_bits / 8);
    return end;
  }

  void AddChunk();
  void FreeFirst();

  std::deque<Chunk> chunks_;
  size_t num_bytes_ = 0;        // of all chunks
  size_t size_ = 0;             // of all records
  size_t num_known_bytes_ = 0;  // of the last key: what can be put together of what is kept
  size_t last_num_bytes_ = 0;   // of the last record
  size_t forget_from_bytes_ = kLittle;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_KEPT_KEYS_H_
