// Filters for databases whose comparator treats different keys as equal.
//
// A filter compares bytes. If "Apple" is stored and the comparator ignores case, a Get of "apple"
// finds it, but a filter answers "no", and the key is lost. A canonicalizer maps each key to its
// canonical form: bytes that are equal for all keys that the comparator treats as equal. Filters
// are then built from canonical forms, and queried with them: NewCanonicalRocksDBFilterPolicy
// (rocksdb.h) and NewCanonicalLevelDBFilterPolicy (leveldb.h). docs/keys.md has an example.
#ifndef BLOOMLINE_KEY_CANONICALIZER_H_
#define BLOOMLINE_KEY_CANONICALIZER_H_

#include <string>
#include <string_view>

namespace bloomline {

// Implemented by the user. Rules:
// - Keys that the comparator treats as equal have equal canonical forms, in every process that uses
//   the database, forever. If a new version of the code gives other forms, it needs another name.
// - With a prefix extractor, RocksDB adds prefixes to filters, too. Keys that the comparator treats
//   as equal then need prefixes with equal canonical forms, or no prefix.
// - Other keys should have different forms: a missing key with the form of a stored one is a false
//   positive.
// - Keys may have any bytes and any length, also 0, and each has a form.
// - Many threads may call it at once.
class KeyCanonicalizer {
 public:
  virtual ~KeyCanonicalizer() = default;

  // Letters, digits, '.', '_' and '-' of ASCII.
  virtual const char* Name() const noexcept = 0;

  // Returns the canonical form of `key`: a part of `key`, what it has written to *buffer, or bytes
  // that live as long as this object. Must not keep `key` or `buffer`.
  virtual std::string_view Canonicalize(std::string_view key,
                                        std::string* buffer) const noexcept = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_KEY_CANONICALIZER_H_
