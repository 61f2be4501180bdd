// Memory for blocks and keys: used again and again, and not filled with zeros first.
#ifndef BLOOMLINE_DB_SSTABLE_BYTES_BUFFER_H_
#define BLOOMLINE_DB_SSTABLE_BYTES_BUFFER_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace bloomline::sstable {

class Buffer {
 public:
  // Room for n bytes. The first `keep` bytes stay; the others may be lost.
  void Reserve(uint64_t n, uint64_t keep = 0) {
    if (n <= capacity_) return;
    if (n > SIZE_MAX / 5 * 4) throw std::bad_alloc();  // on a 32-bit CPU
    const auto capacity =
        static_cast<size_t>(n + n / 4);  // not for each block that is a bit larger
    std::unique_ptr<char[]> bytes(new char[capacity]);
    if (keep > 0) std::memcpy(bytes.get(), bytes_.get(), static_cast<size_t>(keep));
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  uint64_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<char[]> bytes_;
  uint64_t capacity_ = 0;
};

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_DB_SSTABLE_BYTES_BUFFER_H_
