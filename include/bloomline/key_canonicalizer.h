// Filters for databases whose comparator treats different keys as equal (docs/keys.md).
//
// A filter compares bytes: if "Apple" is stored and the comparator ignores case, it answers "no"
// for "apple". A canonicalizer maps keys that the comparator treats as equal to one canonical form,
// with which NewCanonicalRocksDBFilterPolicy (rocksdb.h) and NewCanonicalLevelDBFilterPolicy
// (leveldb.h) build and query filters.
#ifndef BLOOMLINE_KEY_CANONICALIZER_H_
#define BLOOMLINE_KEY_CANONICALIZER_H_

#include <string>
#include <string_view>

namespace bloomline {

// Implemented by the user. Rules:
// - Keys that the comparator treats as equal have equal forms, forever and in every process that
//   uses the database. New code that gives other forms needs another name.
// - With a prefix extractor, RocksDB adds prefixes to filters, too: such keys then need prefixes
//   with equal forms, or none.
// - Other keys should have different forms: a missing key with the form of a stored one is a false
//   positive.
// - Any bytes of any length have a form.
// - Many threads may call it at once.
class KeyCanonicalizer {
 public:
  virtual ~KeyCanonicalizer() = default;

  // ASCII letters, digits, '.', '_' and '-'.
  virtual const char* Name() const noexcept = 0;

  // Returns a part of `key`, what it wrote to *buffer, or bytes that live as long as this object.
  // Must not keep `key` or `buffer`.
  virtual std::string_view Canonicalize(std::string_view key,
                                        std::string* buffer) const noexcept = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_KEY_CANONICALIZER_H_
