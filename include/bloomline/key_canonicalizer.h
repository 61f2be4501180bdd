// Filters for databases whose comparator takes different keys as equal.
//
// A filter compares bytes. If "Apple" is stored and the comparator ignores case, a Get of "apple"
// finds it, but a filter answers "no", and the key is lost. A canonicalizer maps each key to its
// canonical form: bytes that are equal for all keys that the comparator takes as equal. Filters
// then hold canonical forms, and queries compare these (docs/comparators.md).
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
// Each filter records its canonicalizer's name. A policy uses only filters of its own
// canonicalizer; any other filter "may match", so no key is lost when a canonicalizer is new,
// renamed or missing.
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
// - Keys that the comparator takes as equal have equal canonical forms, in every process that uses
//   the database, for ever. If a new version gives other forms, it needs another name.
// - With a prefix extractor, RocksDB filters hold prefixes, too. Keys that the comparator takes as
//   equal then need prefixes with equal canonical forms, or no prefix.
// - Keys that differ should have different forms: each pair with equal forms is a false positive.
// - Any bytes may come, also none.
// - Many threads call it at once.
// - It may throw. A key whose canonical form is missing matches, and a filter in which one is
//   missing matches every key.
class KeyCanonicalizer {
 public:
  virtual ~KeyCanonicalizer() = default;

  // 1 to 64 letters, digits, '.', '_' and '-' of ASCII. Short, because each filter has a copy.
  virtual const char* Name() const = 0;

  // Returns the canonical form of `key`: part of `key`, memory of `buffer`, or bytes that live as
  // long as this object. Must not keep `key` or `buffer`.
  virtual std::string_view Canonicalize(std::string_view key, CanonicalKeyBuffer* buffer) const = 0;
};

// Returns the name of the canonicalizer that the filter records, or nothing if there is none.
// `filter` is the bytes of a filter in RocksDB's files; the name is part of them.
std::string_view RecordedCanonicalizer(std::string_view filter);

}  // namespace bloomline

#endif  // BLOOMLINE_KEY_CANONICALIZER_H_
