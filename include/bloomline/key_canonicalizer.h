// Filters for databases whose comparator treats different keys as equal (docs/keys.md).
//
// A filter compares bytes: if "Apple" is stored and the comparator ignores case, it answers "no"
// for "apple". A canonicalizer maps such keys to one canonical form, for
// NewCanonicalRocksDBFilterPolicy (rocksdb.h) and NewCanonicalLevelDBFilterPolicy (leveldb.h).
#ifndef BLOOMLINE_KEY_CANONICALIZER_H_
#define BLOOMLINE_KEY_CANONICALIZER_H_

#include <string>
#include <string_view>

#include "bloomline/cpp17.h"

namespace bloomline {

// The user implements this class. Rules:
// - Keys that the comparator treats as equal have equal forms in every process that ever uses the
//   database. Code that gives new forms needs a new name.
// - With a prefix extractor, RocksDB also adds prefixes to filters: equal keys then need prefixes
//   with equal forms, or none.
// - Other keys should have different forms: a missing key with the form of a stored one is a false
//   positive.
// - Any bytes of any length have a form.
// - Many threads may call an object at once.
class KeyCanonicalizer {
 public:
  virtual ~KeyCanonicalizer() = default;

  // May contain ASCII letters, digits, '.', '_' and '-'.
  virtual const char* Name() const noexcept = 0;

  // Returns a part of `key`, the contents of *buffer, or bytes that live as long as this object.
  // Must not keep `key` or `buffer`.
  virtual std::string_view Canonicalize(std::string_view key,
                                        std::string* buffer) const noexcept = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_KEY_CANONICALIZER_H_
