// Filters for databases whose comparator treats different keys as equal.
//
// A filter compares bytes. If "Apple" is stored and the comparator ignores case, a Get of "apple"
// finds it, but a filter answers "no", and the key is lost. A canonicalizer maps each key to its
// canonical form: bytes that are equal for all keys that the comparator treats as equal. Filters
// are then built from canonical forms, and queried with them (docs/comparators.md).
//
//   class CaseFolding : public bloomline::KeyCanonicalizer {
//    public:
//     const char* Name() const override { return "app.CaseFolding"; }
//     std::string_view Canonicalize(std::string_view key,
//                                   bloomline::CanonicalKeyBuffer* buffer) const override {
//       char* const folded = buffer->Bytes(key.size());
//       for (size_t i = 0; i < key.size(); ++i) {
//         folded[i] = key[i] >= 'A' && key[i] <= 'Z' ? static_cast<char>(key[i] + 32) : key[i];
//       }
//       return {folded, key.size()};
//     }
//   };
//
// RocksDBFilterOptions::canonicalizer (rocksdb.h) and NewLevelDBFilterPolicy (leveldb.h) take one.
// Each filter records its canonicalizer's name. A policy uses only the filters of its own
// canonicalizer, and answers "may match" for all others. So no key is lost when a policy gets a
// canonicalizer, or one with another name. Set it when the database is opened, with a new block
// cache: filter readers in an old cache keep the old policy. Never open the database without the
// canonicalizer: such a policy trusts filters of raw keys and loses keys.
//
// Link bloomline::core (CMake component `core`).
#ifndef BLOOMLINE_KEY_CANONICALIZER_H_
#define BLOOMLINE_KEY_CANONICALIZER_H_

#include <cstddef>
#include <memory>
#include <string_view>

namespace bloomline {

// Memory for a canonical form: in the object for short keys, so that queries do not allocate.
class CanonicalKeyBuffer {
 public:
  CanonicalKeyBuffer() = default;
  CanonicalKeyBuffer(const CanonicalKeyBuffer&) = delete;
  CanonicalKeyBuffer& operator=(const CanonicalKeyBuffer&) = delete;

  // Returns memory for `size` bytes, not initialized. It is valid until the next call. Throws
  // bad_alloc if size is above kInlineBytes and there is no memory: let it leave Canonicalize.
  char* Bytes(size_t size) { return size <= kInlineBytes ? inline_ : HeapBytes(size); }

 private:
  static constexpr size_t kInlineBytes = 128;
  char* HeapBytes(size_t size);

  char inline_[kInlineBytes];
  std::unique_ptr<char[]> heap_;
  size_t heap_size_ = 0;
};

// Implemented by the user. Rules:
// - Keys that the comparator treats as equal have equal canonical forms, in every process that uses
//   the database, forever. If a new version of the code gives other forms, it needs another name.
// - With a prefix extractor, RocksDB adds prefixes to filters, too. Keys that the comparator treats
//   as equal then need prefixes with equal canonical forms, or no prefix.
// - Other keys should have different forms: a missing key with the form of a stored one is a false
//   positive.
// - Keys may have any bytes and any length, also 0.
// - Many threads may call it at once.
// - It may throw. A query of that key then matches. If it throws while a filter is built, the
//   filter matches every key.
class KeyCanonicalizer {
 public:
  virtual ~KeyCanonicalizer() = default;

  // 1 to 64 letters, digits, '.', '_' and '-' of ASCII. Keep it short: each filter has a copy.
  virtual const char* Name() const = 0;

  // Returns the canonical form of `key`. It may be a part of `key`, memory of `buffer`, or bytes
  // that live as long as this object. Must not keep `key` or `buffer`.
  virtual std::string_view Canonicalize(std::string_view key, CanonicalKeyBuffer* buffer) const = 0;
};

// Returns the name of the canonicalizer that the filter records; empty if it records none.
// `filter` is the bytes of a filter in RocksDB's files. The result points into them.
std::string_view RecordedCanonicalizer(std::string_view filter);

}  // namespace bloomline

#endif  // BLOOMLINE_KEY_CANONICALIZER_H_
