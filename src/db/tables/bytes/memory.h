// The memory that the readers of one table may take together: crafted files of kilobytes can have
// blocks, keys and names of gigabytes.
#ifndef BLOOMLINE_DB_TABLES_BYTES_MEMORY_H_
#define BLOOMLINE_DB_TABLES_BYTES_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "src/support/number_text.h"

namespace bloomline::tables {

// what() is a whole sentence, which begins with the file's name.
class MemoryError : public std::bad_alloc {
 public:
  explicit MemoryError(std::string text)
      : text_(std::make_shared<const std::string>(std::move(text))) {}
  const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const std::string> text_;  // copying an exception must not throw
};

// Thread-safe, but for Limit.
class Memory {
 public:
  // Before the first Take. `most` 0: 256 MiB and 16 times the file's size. Blocks, their keys, and
  // copies of both in healthy files take a few times its size, unless a large value has been
  // compressed to nothing (SECURITY.md).
  void Limit(const std::string& file, uint64_t file_bytes, uint64_t most) {
    file_ = file;
    most_ = most != 0 ? most : (uint64_t{256} << 20) + 16 * file_bytes;
  }

  uint64_t most() const { return most_; }

  // Returns false if the table would then have more than its limit.
  bool TryToTake(uint64_t n) {
    if (n <= most_ && used_.fetch_add(n) + n <= most_) return true;
    if (n <= most_) Give(n);
    return false;
  }
  // Throws MemoryError then.
  void Take(uint64_t n) {
    if (TryToTake(n)) return;
    throw MemoryError(support::StrCat(file_, ": needs more than ", support::BytesText(most_),
                                      " of memory; --table-memory allows more"));
  }
  void Give(uint64_t n) { used_.fetch_sub(n); }

 private:
  std::string file_;
  uint64_t most_ = 0;
  std::atomic<uint64_t> used_{0};
};

// A part of it that can grow, and is given back at the end. Without a Memory, any size is allowed.
class MemoryShare {
 public:
  explicit MemoryShare(Memory* memory, uint64_t n = 0) : memory_(memory) { GrowTo(n); }
  ~MemoryShare() { ShrinkTo(0); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  void GrowTo(uint64_t n) {
    if (n <= size_) return;
    if (memory_ != nullptr) memory_->Take(n - size_);
    size_ = n;
  }
  void ShrinkTo(uint64_t n) {
    if (memory_ != nullptr) memory_->Give(size_ - n);
    size_ = n;
  }

 private:
  Memory* const memory_;
  uint64_t size_ = 0;
};

// Memory for blocks and keys, which is reused and not filled with zeros.
class Buffer {
 public:
  explicit Buffer(Memory* memory = nullptr) : share_(memory) {}

  // Makes room for n bytes. The first `keep` bytes stay; the others may be lost.
  void Reserve(uint64_t n, uint64_t keep = 0) {
    if (n <= capacity_) return;
    if (n > SIZE_MAX / 5 * 4) throw std::bad_alloc();  // on a 32-bit CPU
    const auto capacity =
        static_cast<size_t>(n + n / 4);  // so that slightly larger blocks fit, too
    if (keep == 0) {
      bytes_.reset();
      capacity_ = 0;
    }
    share_.GrowTo(capacity + capacity_);
    std::unique_ptr<char[]> bytes(new char[capacity]);
    if (keep > 0) std::memcpy(bytes.get(), bytes_.get(), static_cast<size_t>(keep));
    bytes_ = std::move(bytes);
    capacity_ = capacity;
    share_.ShrinkTo(capacity);
  }

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  uint64_t capacity() const { return capacity_; }

 private:
  MemoryShare share_;
  std::unique_ptr<char[]> bytes_;
  uint64_t capacity_ = 0;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BYTES_MEMORY_H_
